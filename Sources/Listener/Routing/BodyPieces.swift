internal import HTTPTypes
internal import NIOCore
internal import SetteeCouchProtocol

/// The body of a request, piece by piece, inflated if it is encoded.
struct BodyPieces {
    private let body: BodyReader
    private let limit: Int
    private let inflater: GzipInflater?
    /// What has come and is not inflated yet.
    private var compressed = ByteBuffer()
    private var count = 0

    /// So many bytes of a compressed body are inflated at once: they become about 4 MiB at most.
    private static let inflatedAtOnce = 4_096

    /// - Parameter limit: The highest number of bytes, inflated.
    /// - Throws: `too_large` (413) if the head tells more; `bad_content_type` (415) for an encoding that is not known.
    init(of request: HTTPRequest, _ body: BodyReader, upTo limit: Int) throws(CouchError) {
        if let text = request.headerFields[.contentLength], let length = Int(text), length > limit {
            throw .tooLarge
        }
        let limits = InflationLimits(bytes: UInt64(limit))
        switch request.headerFields[.contentEncoding]?.lowercased() {
        case nil, "identity": inflater = nil
        case "gzip", "x-gzip": inflater = try GzipInflater(.gzip, limits: limits)
        case "deflate": inflater = try GzipInflater(.zlib, limits: limits)
        default: throw .badContentType("The body may be encoded with gzip or deflate, or not at all.")
        }
        self.body = body
        self.limit = limit
    }

    /// The next bytes, never empty; nil at the end.
    ///
    /// - Throws: `too_large` (413) beyond the limit; 400 for damaged encodings; what `BodyReader.next` throws.
    mutating func next() async throws -> [UInt8]? {
        while true {
            if let inflater,
                let some = compressed.readSlice(length: min(compressed.readableBytes, Self.inflatedAtOnce)),
                some.readableBytes > 0
            {
                let bytes = try BodyPieces.inflate(some, inflater)
                if bytes.isEmpty { continue }
                return bytes
            }
            guard let piece = try await body.next() else {
                try inflater?.finish()
                return nil
            }
            guard inflater == nil else {
                compressed = piece
                continue
            }
            count += piece.readableBytes
            guard count <= limit else { throw CouchError.tooLarge }
            return Array(piece.readableBytesView)
        }
    }

    private static func inflate(_ piece: ByteBuffer, _ inflater: GzipInflater) throws(CouchError) -> [UInt8] {
        var bytes: [UInt8] = []
        try unsafe piece.withUnsafeReadableBytes { (raw) throws(CouchError) in
            let span = unsafe RawSpan(_unsafeBytes: raw)
            try inflater.push(span) { (inflated) throws(CouchError) in
                unsafe inflated.withUnsafeBytes { unsafe bytes.append(contentsOf: $0) }
            }
        }
        return bytes
    }
}
