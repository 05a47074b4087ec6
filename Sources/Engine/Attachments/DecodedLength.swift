package import StorageProtocol

/// Counts the decoded bytes of gzip content, piece by piece, without keeping them.
package struct DecodedLength {
    private let decoder: Gunzip
    private let limit: UInt64
    private var length: UInt64 = 0

    /// - Parameter limit: Decoding ends if there are more bytes.
    package init(upTo limit: UInt64 = .max) throws(StorageError) {
        decoder = try Gunzip()
        self.limit = limit
    }

    /// - Throws: `corrupt` (591) if it is not gzip, or too long.
    package mutating func append(_ piece: [UInt8]) throws(StorageError) {
        var length = self.length
        let limit = self.limit
        try decoder.decode(piece) { (part) throws(StorageError) in
            length += UInt64(part.count)
            guard length <= limit else { throw Gunzip.damaged }
        }
        self.length = length
    }

    /// Returns the length, after all pieces were appended.
    ///
    /// - Throws: `corrupt` (591) if the content is truncated.
    package func finish() throws(StorageError) -> UInt64 {
        try decoder.finish()
        return length
    }

    /// Returns the decoded length of a whole content; nil if it is not gzip, or too long.
    ///
    /// - Throws: The errors of reading.
    package static func of(_ content: any BlobReader, upTo limit: UInt64 = .max) throws(StorageError) -> UInt64? {
        var length = try DecodedLength(upTo: limit)
        var offset: UInt64 = 0
        while true {
            // Damage of the blob itself is `corrupt` too, but says nothing about its encoding.
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
