internal import HTTPTypes
internal import NIOCore
internal import SetteeDocumentValues
internal import StorageProtocol
internal import Testing

@testable internal import SetteeListener

/// An answer with its whole body.
struct CollectedAnswer {
    let status: Int
    let headers: HTTPFields
    /// The length that the head tells; nil if the body is sent in chunks.
    let length: Int?
    let body: [UInt8]
    /// What the stream threw.
    let failure: (any Error)?
    /// The largest piece that was written.
    let largestPiece: Int

    /// Collects an answer as a client gets it: for HEAD without calling the stream.
    init(_ answer: Answer, to method: HTTPRequest.Method) async {
        status = answer.status.code
        headers = answer.headers
        switch answer.body {
        case .none:
            (length, body, failure, largestPiece) = (0, [], nil, 0)
        case .bytes(let bytes):
            length = bytes.readableBytes
            body = method == .head ? [] : Array(bytes.readableBytesView)
            (failure, largestPiece) = (nil, bytes.readableBytes)
        case .stream(let length, let write):
            self.length = length
            let sink = CollectingSink()
            var failure: (any Error)?
            do {
                if method != .head { try await write(sink) }
            } catch {
                failure = error
            }
            self.failure = failure
            (body, largestPiece) = sink.collected
            if method != .head, failure == nil, let length {
                #expect(body.count == length, "The body does not have the length that the head tells.")
            }
        }
    }

    var text: String { String(decoding: body, as: UTF8.self) }

    /// The body as a JSON object; empty if it is none.
    var json: JSONObject { (try? JSONValue(parsing: body))?.objectValue ?? JSONObject() }

    /// Whether this is the body. Expectations with `==` take minutes to show how two long bodies differ.
    func has(_ content: [UInt8]) -> Bool { body == content }

    func member(_ name: String) -> String? { json[name]?.stringValue }

    func header(_ name: String) -> String? { HTTPField.Name(name).flatMap { headers[$0] } }
}
