public import StorageProtocol

/// Stores the bytes of attachments in memory: the blob store of a database in memory, and the reference implementation
/// of the contract.
public final class MemoryBlobStore: BlobStore {
    private struct Contents {
        var blobs: [String: [UInt8]] = [:]
        var trash: [String: (epoch: UInt64, bytes: [UInt8])] = [:]
    }

    private let contents = Locked(Contents())

    public init() {}

    public func makeWriter() throws(StorageError) -> any BlobWriter { MemoryBlobWriter(self) }

    public func name(ofSHA256 digest: [UInt8]) -> String { BlobDigests.name(ofSHA256: digest) }

    public func reader(_ name: String) throws(StorageError) -> (any BlobReader)? {
        contents.withLock { $0.blobs[name] }.map(MemoryBlobReader.init)
    }

    public func size(_ name: String) throws(StorageError) -> UInt64? {
        contents.withLock { $0.blobs[name] }.map { UInt64($0.count) }
    }

    public func names(_ body: (String) throws(StorageError) -> Bool) throws(StorageError) {
        for name in contents.withLock({ Array($0.blobs.keys) }) {
            guard try body(name) else { return }
        }
    }

    public func moveToTrash(_ name: String, epoch: UInt64) throws(StorageError) -> Bool {
        contents.withLock { contents in
            guard let bytes = contents.blobs.removeValue(forKey: name) else { return false }
            contents.trash[name] = (epoch, bytes)
            return true
        }
    }

    public func restore(_ name: String) throws(StorageError) -> Bool {
        contents.withLock { contents in
            guard let (_, bytes) = contents.trash.removeValue(forKey: name) else { return false }
            contents.blobs[name] = bytes
            return true
        }
    }

    public func trashedReader(_ name: String) throws(StorageError) -> (any BlobReader)? {
        contents.withLock { $0.trash[name]?.bytes }.map(MemoryBlobReader.init)
    }

    public func emptyTrash(before epoch: UInt64) throws(StorageError) -> (blobs: Int, bytes: UInt64) {
        contents.withLock { contents in
            let old = contents.trash.filter { $0.value.epoch < epoch }
            for name in old.keys { contents.trash.removeValue(forKey: name) }
            return (old.count, old.values.reduce(0) { $0 + UInt64($1.bytes.count) })
        }
    }

    public func trash(
        _ body: (_ name: String, _ epoch: UInt64, _ bytes: UInt64) throws(StorageError) -> Bool
    ) throws(StorageError) {
        for (name, entry) in contents.withLock({ $0.trash }) {
            guard try body(name, entry.epoch, UInt64(entry.bytes.count)) else { return }
        }
    }

    /// Does nothing: a half-written blob is freed with its writer.
    public func removeAbandoned() throws(StorageError) {}

    public func verify(_ name: String) throws(StorageError) -> String? {
        guard let bytes = contents.withLock({ $0.blobs[name] }) else { return "There is no such blob" }
        var digests = BlobDigests()
        unsafe digests.update(bytes.span.bytes)
        return digests.finish(length: UInt64(bytes.count)).storageName == name
            ? nil : "The content is not that of its name"
    }

    func publish(_ name: String, _ bytes: [UInt8]) {
        // An existing blob has the same bytes, or is damaged.
        contents.withLock { $0.blobs[name] = bytes }
    }

    /// Replaces the bytes of a blob, so that tests of `verify` have damage to find.
    package func damage(_ name: String, with bytes: [UInt8]) {
        contents.withLock { $0.blobs[name] = bytes }
    }
}
