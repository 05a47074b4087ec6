internal import StorageProtocol

/// Counts what content that is encoded with gzip decodes to, piece by piece; nothing of it is kept.
struct DecodedLength {
    private let decoder: Gunzip
    private let limit: UInt64
    private var length: UInt64 = 0

    /// - Parameter limit: decoding ends where there is more.
    init(upTo limit: UInt64 = .max) throws(StorageError) {
        decoder = try Gunzip()
        self.limit = limit
    }

    /// - Throws: `corrupt` (591) where it is not gzip, or too long.
    mutating func append(_ piece: [UInt8]) throws(StorageError) {
        var length = self.length
        let limit = self.limit
        try decoder.decode(piece) { (part) throws(StorageError) in
            length += UInt64(part.count)
            guard length <= limit else { throw Gunzip.damaged }
        }
        self.length = length
    }

    /// The length, once all pieces were there.
    ///
    /// - Throws: `corrupt` (591) where the content ends too early.
    func finish() throws(StorageError) -> UInt64 {
        try decoder.finish()
        return length
    }

    /// The decoded length of a whole content; nil where it is not gzip, or too long.
    ///
    /// - Throws: what reading throws.
    static func of(_ content: any BlobReader, upTo limit: UInt64 = .max) throws(StorageError) -> UInt64? {
        var length = try DecodedLength(upTo: limit)
        var offset: UInt64 = 0
        while true {
            // Damage of the content itself is `corrupt` too, and is not its encoding's fault.
            let piece = try content.read(at: offset, count: 1 << 18)
            offset += UInt64(piece.count)
            do throws(StorageError) {
                guard !piece.isEmpty else { return try length.finish() }
                try length.append(piece)
            } catch {
                guard error.code == .corrupt else { throw error }
                return nil
            }
        }
    }
}
