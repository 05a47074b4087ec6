package import StorageProtocol

/// A file without a name that only its owner can read. It goes with this object, or with the process.
package final class ScratchFile {
    private let path: String
    private let file: Descriptor
    package private(set) var size: UInt64 = 0

    /// - Throws: `fileSystem` (498), `readOnly` (403), `full` (507).
    package init(in folder: String) throws(StorageError) {
        path = folder + "/" + Staging.name()
        file = try Descriptor.open(path, [.write, .create, .exclusive, .noFollow], mode: 0o600)
        try Files.remove(path)
    }

    /// - Throws: `full` (507), `storage` (590).
    package func append(_ bytes: RawSpan) throws(StorageError) {
        try file.write(bytes, at: size, path)
        size += UInt64(bytes.byteCount)
    }

    /// Reads up to `count` bytes from `offset`; fewer only at the end.
    package func read(at offset: UInt64, count: Int) throws(StorageError) -> [UInt8] {
        try file.read(at: offset, count: count, path)
    }
}
