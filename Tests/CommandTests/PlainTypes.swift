/// The names of the storage types whose databases are on disk and need no key.
enum PlainTypes {
    static let all = ["sqlite", "lmdb"] + rocksDB
    #if RocksDB
    static let rocksDB = ["rocksdb"]
    #else
    static let rocksDB: [String] = []
    #endif
}
