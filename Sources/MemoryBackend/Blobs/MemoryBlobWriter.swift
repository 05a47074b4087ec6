internal import StorageProtocol

/// Collects a blob's bytes and digests.
final class MemoryBlobWriter: BlobWriter {
    private let store: MemoryBlobStore
    private var bytes: [UInt8] = []
    private var digests = BlobDigests()
    private var content: BlobContent?
    private var isOver = false

    init(_ store: MemoryBlobStore) { self.store = store }

    func append(_ new: RawSpan) throws(StorageError) {
        guard !isOver, content == nil else { throw .finishedBlob }
        digests.update(new)
        unsafe new.withUnsafeBytes { unsafe bytes.append(contentsOf: $0) }
    }

    func finish() throws(StorageError) -> BlobContent {
        if isOver { throw .finishedBlob }
        if let content { return content }
        let made = digests.finish(length: UInt64(bytes.count))
        content = made
        return made
    }

    func reader() throws(StorageError) -> any BlobReader {
        guard !isOver, content != nil else {
            throw StorageError(.badRequest, "Only a blob that was finished, and not cancelled, can be read.")
        }
        return MemoryBlobReader(bytes)
    }

    func publish() throws(StorageError) {
        guard !isOver, let content else {
            throw StorageError(.badRequest, "Only a blob that was finished, and not cancelled, can be published.")
        }
        store.publish(content.storageName, bytes)
    }

    func cancel() {
        isOver = true
        bytes = []
    }
}

/// Reads one blob. The reader keeps its bytes.
final class MemoryBlobReader: BlobReader {
    private let bytes: [UInt8]

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    var length: UInt64 { UInt64(bytes.count) }

    func read(at offset: UInt64, count: Int) throws(StorageError) -> [UInt8] {
        if count < 0 { throw StorageError(.badParameter, "A count of bytes to read must not be negative.") }
        guard offset < length else { return [] }
        let start = Int(offset)
        return Array(bytes[start..<(start + min(count, bytes.count - start))])
    }
}

extension StorageError {
    static var finishedBlob: StorageError {
        StorageError(.badRequest, "The blob is finished or given up. Begin another one.")
    }
}
