internal import StorageEngineKit
internal import StorageProtocol

/// The value of `format` in `meta`.
struct StoreFormat: Equatable {
    /// The version that this program writes.
    static let version: UInt64 = 1

    /// How new bodies are stored.
    let compression: Compression

    private static let compressionFlag: UInt64 = 1

    /// The stored form: two varints.
    var encoded: [UInt8] {
        unsafe [UInt8](unsafeUninitializedCapacity: 20) { buffer, count in
            let buffer = UnsafeMutableRawBufferPointer(buffer)
            unsafe Varint.write(StoreFormat.version, to: buffer, &count)
            unsafe Varint.write(compression == .lz4 ? StoreFormat.compressionFlag : 0, to: buffer, &count)
        }
    }

    init(_ compression: Compression) { self.compression = compression }

    /// - Throws: `unsupportedFormat` (591) for a higher version or unknown flags, `corrupt` (591) for anything else.
    init(stored bytes: UnsafeRawBufferPointer) throws(StorageError) {
        var offset = 0
        guard let version = unsafe Varint.read(bytes, &offset), version > 0 else { throw .damagedFormat }
        guard version == StoreFormat.version else { throw StoreFormat.unsupported("format version \(version)") }
        guard let flags = unsafe Varint.read(bytes, &offset), offset == bytes.count else { throw .damagedFormat }
        guard flags & ~StoreFormat.compressionFlag == 0 else { throw StoreFormat.unsupported("flags \(flags)") }
        compression = flags & StoreFormat.compressionFlag != 0 ? .lz4 : .uncompressed
    }

    private static func unsupported(_ what: String) -> StorageError {
        StorageError(
            .unsupportedFormat,
            "The database has \(what), which this program does not know. Open it with a newer version of Settee."
        )
    }
}

extension StorageError {
    static var damagedFormat: StorageError { .corrupt("The store's format entry is damaged") }
}
