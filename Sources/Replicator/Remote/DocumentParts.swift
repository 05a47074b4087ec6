internal import SetteeCouchProtocol

/// Collects the documents of a multipart answer. The contents of attachments, which some servers send with them, are
/// passed over.
struct DocumentParts: MultipartHandler {
    enum Part: Equatable {
        case document([UInt8])
        /// What is wrong with a document.
        case failure([UInt8])
        case tooLarge
    }

    private enum Content {
        case nothing
        case json(PartText, isFailure: Bool)
        /// A document with its attachments, in a message of its own.
        case message(MultipartReader, FirstPart)
    }

    private var current = Content.nothing
    /// What has come since it was taken last.
    private var finished: [Part] = []

    mutating func taken() -> [Part] {
        defer { finished = [] }
        return finished
    }

    mutating func partBegins(_ headers: MultipartHeaders) throws(CouchError) {
        let text = headers["content-type"] ?? "application/json"
        let type = try HeaderValue(text)
        if type.value.utf8.starts(with: "multipart/".utf8) {
            let boundary = try MultipartBoundary(contentType: text)
            current = .message(MultipartReader(boundary: boundary, limits: MultipartLimits(parts: .max)), FirstPart())
        } else {
            current = .json(try PartText(headers), isFailure: type["error"] != nil)
        }
    }

    mutating func content(_ bytes: RawSpan) throws(CouchError) {
        let before = current
        current = .nothing
        switch before {
        case .nothing: break
        case .json(var text, let isFailure):
            text.append(bytes)
            current = .json(text, isFailure: isFailure)
        case .message(var reader, var first):
            try reader.push(bytes, to: &first)
            current = .message(reader, first)
        }
    }

    mutating func partEnds() throws(CouchError) {
        switch current {
        case .nothing: break
        case .json(let text, let isFailure):
            let bytes = try text.finished()
            finished.append(bytes.map { isFailure ? .failure($0) : .document($0) } ?? .tooLarge)
        case .message(let reader, let first):
            try reader.finish()
            finished.append(try first.text?.finished().map { .document($0) } ?? .tooLarge)
        }
        current = .nothing
    }

    func messageEnds() {}
}

/// Collects the first part of a message: the document before its attachments.
struct FirstPart: MultipartHandler {
    private(set) var text: PartText?
    private var isFirst = true

    mutating func partBegins(_ headers: MultipartHeaders) throws(CouchError) {
        if isFirst { text = try PartText(headers) }
    }

    mutating func content(_ bytes: RawSpan) {
        if isFirst { text?.append(bytes) }
    }

    mutating func partEnds() { isFirst = false }

    func messageEnds() {}
}

/// The bytes of a part with JSON.
struct PartText {
    private let coding: ContentCoding
    private var bytes: [UInt8] = []
    private var isTooLarge = false

    init(_ headers: MultipartHeaders) throws(CouchError) {
        coding = try ContentCoding(header: headers["content-encoding"])
    }

    mutating func append(_ more: RawSpan) {
        guard !isTooLarge, more.byteCount <= RevisionReader.limit - bytes.count else {
            isTooLarge = true
            bytes = []
            return
        }
        unsafe more.withUnsafeBytes { unsafe bytes.append(contentsOf: $0) }
    }

    /// The text, inflated if it has to be; nil if it is too long.
    func finished() throws(CouchError) -> [UInt8]? {
        guard !isTooLarge, let format = coding.format else { return isTooLarge ? nil : bytes }
        var text: [UInt8] = []
        let inflater = try GzipInflater(format, limits: InflationLimits(bytes: UInt64(RevisionReader.limit)))
        try unsafe inflater.push(bytes.span.bytes) { (some) throws(CouchError) in
            unsafe some.withUnsafeBytes { unsafe text.append(contentsOf: $0) }
        }
        try inflater.finish()
        return text
    }
}
