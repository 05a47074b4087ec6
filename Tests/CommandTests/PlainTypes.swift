/// The names of the storage types whose databases are on disk and need no key.
enum PlainTypes {
    #if RocksDB
    static let all = ["sqlite", "lmdb", "rocksdb"]
    #else
    static let all = ["sqlite", "lmdb"]
    #endif
}
