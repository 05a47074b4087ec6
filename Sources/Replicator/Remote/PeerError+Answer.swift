internal import NIOHTTP1
internal import SetteeCouchProtocol
internal import StorageProtocol

extension PeerError {
    /// - Parameters:
    ///   - status: The status of an answer that is no success.
    ///   - body: The beginning of its body.
    init(status: Int, body: [UInt8], headers: HTTPHeaders = [:]) {
        let error = CouchError(status: status, body: body)
        self.init(error)
        isNameless = error.isUnnamed && status != 401
        retryAfter = headers.first(name: "retry-after").flatMap { RetryAfter.parse($0) }
    }

    /// A row of an answer about many documents.
    init(_ error: CouchError) {
        let kind: Kind =
            switch error.status {
            case 401: .unauthorized
            case 403: .forbidden
            case 404, 410: .notFound
            case 405: .readOnly
            case 408, 429: .transient
            case 409: .conflict
            case 412 where error.error.utf8.elementsEqual("missing_stub".utf8) || error.isUnnamed: .missingAttachment
            case 413: .tooLarge
            case 300..<400, 501: .badAnswer
            case 400..<500: .badDocument
            default: .transient
            }
        self.init(kind, status: error.status, error.storageError.message)
    }

    /// An answer that is not what the protocol says.
    static func badAnswer(_ what: String) -> PeerError {
        var error = PeerError(.badAnswer, "The server's answer is \(what).")
        error.isNameless = true
        return error
    }
}

extension CouchError {
    fileprivate var isUnnamed: Bool { error.utf8.elementsEqual("unknown_error".utf8) }
}
