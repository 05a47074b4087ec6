#if RocksDB
internal import StorageProtocol

/// Databases whose engines are closed while transactions have not ended. RocksDB opens a folder once in a process, so
/// the next opening takes the database over. The old transactions do not use it any more.
enum RocksDBLingering {
    private static let databases = Locked<[String: RocksDBHandles]>([:])

    static func keep(_ handles: RocksDBHandles) { databases.withLock { $0[handles.path] = handles } }

    /// Returns the database in a folder and does not keep it any longer.
    static func take(_ path: String) -> RocksDBHandles? {
        guard let handles = databases.withLock({ $0.removeValue(forKey: path) }) else { return nil }
        return handles.isInherited ? nil : handles
    }

    /// The last transaction of its engine has ended.
    static func forget(_ handles: RocksDBHandles) {
        databases.withLock { databases in
            if databases[handles.path] === handles { databases[handles.path] = nil }
        }
    }
}
#endif
