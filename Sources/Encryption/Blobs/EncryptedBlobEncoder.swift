internal import SetteeStorageFiles
internal import StorageProtocol

/// Seals a content chunk by chunk as it arrives. Each chunk is sealed once: a full one is held back until it is known
/// whether it is the last.
final class EncryptedBlobEncoder: BlobEncoder {
    private let cipher: BlobFileCipher
    /// Content that has not been sealed yet, at most one chunk.
    private var pending: [UInt8] = []
    /// The number of the next chunk.
    private var number: UInt64 = 0
    private var hasBegun = false
    /// False after a failure or once the end was written: sealing again could replace a part that was already passed
    /// on.
    private var isUsable = true

    init(_ cipher: BlobFileCipher) { self.cipher = cipher }

    func append(
        _ bytes: RawSpan,
        to write: (RawSpan) throws(StorageError) -> Void
    ) throws(StorageError) {
        try use()
        var position = 0
        while position < bytes.byteCount {
            let rest = bytes.byteCount - position
            if pending.count == BlobLayout.chunkLength {
                try sealPending(isLast: false, write)
            } else if pending.isEmpty, rest > BlobLayout.chunkLength {
                let end = position + BlobLayout.chunkLength
                try seal(bytes.extracting(position..<end), isLast: false, write)
                position = end
            } else {
                let count = min(rest, BlobLayout.chunkLength - pending.count)
                unsafe bytes.extracting(position..<position + count).withUnsafeBytes { part in
                    unsafe pending.append(contentsOf: part)
                }
                position += count
            }
        }
        isUsable = true
    }

    func finish(
        _ content: BlobContent,
        to write: (RawSpan) throws(StorageError) -> Void
    ) throws(StorageError) {
        try use()
        try begin(write)
        if !pending.isEmpty { try sealPending(isLast: true, write) }
        let trailer = BlobTrailer(content).bytes
        try unsafe cipher.seal(.trailer, trailer.span.bytes, write)
    }

    private func use() throws(StorageError) {
        guard isUsable else {
            throw StorageError(.attachmentStore, "This attachment is already written, or could not be. Begin another.")
        }
        isUsable = false
    }

    private func begin(_ write: (RawSpan) throws(StorageError) -> Void) throws(StorageError) {
        guard !hasBegun else { return }
        hasBegun = true
        let header = cipher.header
        try unsafe write(header.span.bytes)
    }

    private func sealPending(
        isLast: Bool,
        _ write: (RawSpan) throws(StorageError) -> Void
    ) throws(StorageError) {
        // Moved out for the call: a span of a class's property does not outlive the access.
        var chunk: [UInt8] = []
        swap(&chunk, &pending)
        try unsafe seal(chunk.span.bytes, isLast: isLast, write)
        chunk.removeAll(keepingCapacity: true)
        pending = chunk
    }

    private func seal(
        _ bytes: RawSpan,
        isLast: Bool,
        _ write: (RawSpan) throws(StorageError) -> Void
    ) throws(StorageError) {
        guard number < BlobLayout.mostChunks else {
            throw StorageError(.tooLarge, "An attachment is longer than 256 TiB. Split it.")
        }
        try begin(write)
        let part = BlobPart.chunk(number, isLast: isLast)
        number += 1
        try cipher.seal(part, bytes, write)
    }
}
