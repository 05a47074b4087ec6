public import StorageProtocol

/// The content of an attachment, open for reading. It stays readable whatever happens to the document and the blob.
///
/// May be used from any thread. Calls run one at a time; each waits for the one before.
public final class AttachmentReader: Sendable {
    /// The length of the decoded content, in bytes.
    public let length: UInt64
    private let content: Locked<Content>
    private let trace: DatabaseTrace?
    /// The SHA-1 of the stored bytes.
    private let digest: [UInt8]

    /// @unchecked: reached by one thread at a time, under the lock.
    fileprivate struct Content: @unchecked Sendable {
        let blob: any BlobReader
        let length: UInt64
        var isEncoded: Bool
        /// Where `read(upTo:)` goes on.
        var position: UInt64 = 0

        // Of an encoded content only.
        var decoder: Gunzip?
        /// How much of the blob the decoder has seen.
        var seen: UInt64 = 0
        /// What is decoded and not given yet begins at `start` of the content.
        var decoded: ArraySlice<UInt8> = []
        var start: UInt64 = 0
    }

    init(_ blob: any BlobReader, _ stub: AttachmentStub, encoded: Bool = false, trace: DatabaseTrace? = nil) {
        self.trace = trace
        digest = stub.digest
        let isDecoded = stub.encodedLength != nil && !encoded
        length = isDecoded ? stub.length : blob.length
        content = Locked(Content(blob: blob, length: length, isEncoded: isDecoded))
    }

    /// Returns the next bytes of the content, at most `count`; fewer only at the end, and none after it.
    ///
    /// - Throws: `storage` (590) or `attachmentStore` (592) if it cannot be read, `corrupt` (591) if it cannot be
    ///   decoded.
    public func read(upTo count: Int) throws(StorageError) -> [UInt8] {
        let began = trace?.now
        let (bytes, position) = try content.withLock { (content) throws(StorageError) -> ([UInt8], UInt64) in
            let position = content.position
            let bytes = try content.read(at: position, count: count)
            content.position += UInt64(bytes.count)
            return (bytes, position)
        }
        if let trace, let began { trace.read(digest, at: position, size: bytes.count, began: began) }
        return bytes
    }

    /// Returns up to `count` bytes from `offset`; fewer only at the end, and none after it. Encoded content is decoded
    /// from its beginning if `offset` is before the bytes read last.
    public func read(at offset: UInt64, count: Int) throws(StorageError) -> [UInt8] {
        let began = trace?.now
        let bytes = try content.withLock { (content) throws(StorageError) in
            try content.read(at: offset, count: count)
        }
        if let trace, let began { trace.read(digest, at: offset, size: bytes.count, began: began) }
        return bytes
    }
}

extension AttachmentReader.Content {
    mutating func read(at offset: UInt64, count: Int) throws(StorageError) -> [UInt8] {
        guard count >= 0 else {
            throw StorageError(.badParameter, "A count of bytes to read must not be negative.")
        }
        guard offset < length, count > 0 else { return [] }
        let count = Int(min(UInt64(count), length - offset))
        guard isEncoded else { return try blob.read(at: offset, count: count) }
        if decoder == nil || offset < start { try restart() }
        var bytes: [UInt8] = []
        // The length is a claim of whoever brought the content.
        bytes.reserveCapacity(min(count, 1 << 20))
        while bytes.count < count {
            try decodeMore()
            let wanted = offset + UInt64(bytes.count)
            guard wanted < start + UInt64(decoded.count) else {
                start += UInt64(decoded.count)
                decoded = []
                continue
            }
            let part = decoded.dropFirst(Int(wanted - start)).prefix(count - bytes.count)
            bytes += part
            decoded = decoded[part.endIndex...]
            start = wanted + UInt64(part.count)
        }
        if start == length { try requireEnd() }
        return bytes
    }

    /// Sees to it that there is no more than there should be.
    private mutating func requireEnd() throws(StorageError) {
        guard let decoder, decoded.isEmpty else { throw Gunzip.damaged }
        while seen < blob.length {
            let piece = try blob.read(at: seen, count: 1 << 14)
            guard !piece.isEmpty else { throw Gunzip.damaged }
            seen += UInt64(piece.count)
            try decoder.decode(piece) { (_) throws(StorageError) in throw Gunzip.damaged }
        }
        try decoder.finish()
    }

    private mutating func restart() throws(StorageError) {
        decoder = try Gunzip()
        seen = 0
        decoded = []
        start = 0
    }

    /// Sees to it that something is decoded.
    private mutating func decodeMore() throws(StorageError) {
        while decoded.isEmpty {
            // Small pieces: at a ratio of 1,000 each becomes 16 MB.
            let piece = try blob.read(at: seen, count: 1 << 14)
            guard !piece.isEmpty, let decoder else { throw Gunzip.damaged }
            seen += UInt64(piece.count)
            var output: [UInt8] = []
            let limit = length - start
            try decoder.decode(piece) { (part) throws(StorageError) in
                output += part
                guard UInt64(output.count) <= limit else { throw Gunzip.damaged }
            }
            decoded = output[...]
        }
    }
}
