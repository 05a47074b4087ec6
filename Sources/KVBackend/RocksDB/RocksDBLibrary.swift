#if RocksDB
internal import CSetteeRocksDB
internal import StorageProtocol

/// librocksdb, found at run time: other engines do not need it.
enum RocksDBLibrary {
    /// Loads the library with the first call.
    ///
    /// - Throws: `notImplemented` (501) if there is none that can be used.
    static func load() throws(StorageError) {
        switch rocks_load() {
        case rocks_loaded: return
        case rocks_library_missing:
            throw StorageError(
                .notImplemented,
                "Databases of type 'rocksdb' need RocksDB, which is not installed. Install the package librocksdb7.8 "
                    + "(Debian, Ubuntu: it comes with librocksdb-dev; elsewhere it is called rocksdb)."
            )
        default:
            throw StorageError(
                .notImplemented,
                "The library librocksdb that is installed lacks functions of RocksDB 7.8. Install the package "
                    + "librocksdb7.8."
            )
        }
    }
}
#endif
