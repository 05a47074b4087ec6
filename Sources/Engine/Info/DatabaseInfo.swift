public import StorageProtocol

/// Small values of the application that belong to the database as a whole: text by key, such as a version number, or
/// the progress of a job. They are not documents: they have no revisions and no sequence, and cannot be observed.
///
/// Calls inside a transaction are part of it; inside `read` they show the values of the snapshot. Keys are compared
/// byte by byte. Values that Settee itself keeps in a database are not accessible.
///
/// Every call throws `notOpen` (503) after the database was closed, and `callback` (593) inside an `update` closure.
public struct DatabaseInfo: Sendable {
    let database: Database

    /// The value of a key; nil if there is none. Complexity: O(log n).
    ///
    /// - Throws: `badParameter` (495) for a key that is empty, longer than 255 bytes, or contains NUL.
    public subscript(key: String) -> String? {
        get throws(StorageError) {
            let stored = try DatabaseInfo.stored(key)
            return try database.withReadTransaction { (transaction) throws(StorageError) in
                try transaction.info(stored).map { String(decoding: $0, as: UTF8.self) }
            }
        }
    }

    /// Sets the value of a key, or removes it (nil).
    ///
    /// - Throws: `badParameter` (495) as the subscript, `tooLarge` (413) for a value over 1 MiB, `readOnly` (403),
    ///   `inUse` (423), `full` (507).
    public func set(_ value: String?, for key: String) throws(StorageError) {
        let stored = try DatabaseInfo.stored(key)
        let bytes = value.map { Array($0.utf8) }
        guard (bytes?.count ?? 0) <= InfoKey.maximumValueLength else {
            throw StorageError(.tooLarge, "The info value is over 1 MiB. Keep it in a document.")
        }
        try database.change { (session) throws(StorageError) in
            guard try session.transaction.info(stored) != bytes else { return }
            session.noteChange()
            try session.transaction.setInfo(bytes, for: stored)
        }
    }

    /// Removes the value of a key.
    ///
    /// - Returns: false if there was none.
    /// - Throws: as `set`.
    @discardableResult
    public func remove(_ key: String) throws(StorageError) -> Bool {
        let stored = try DatabaseInfo.stored(key)
        return try database.change { (session) throws(StorageError) in
            guard try session.transaction.info(stored) != nil else { return false }
            session.noteChange()
            try session.transaction.setInfo(nil, for: stored)
            return true
        }
    }

    /// Returns all keys and values, in the order of the keys' bytes, in memory.
    public func all() throws(StorageError) -> [(key: String, value: String)] {
        let prefix = Array(InfoKey.applicationPrefix.utf8)
        return try database.withReadTransaction { (transaction) throws(StorageError) in
            try transaction.allInfo().compactMap { entry in
                let key = Array(entry.key.utf8)
                guard key.starts(with: prefix) else { return nil }
                return (
                    String(decoding: key.dropFirst(prefix.count), as: UTF8.self),
                    String(decoding: entry.value, as: UTF8.self)
                )
            }
        }
    }

    private static func stored(_ key: String) throws(StorageError) -> String {
        guard (1...InfoKey.maximumLength).contains(key.utf8.count), !key.utf8.contains(0) else {
            throw StorageError(.badParameter, "An info key has 1 to 255 bytes of UTF-8, none of them NUL.")
        }
        return InfoKey.applicationPrefix + key
    }
}

extension Database {
    /// Small values of the application, by key.
    public var info: DatabaseInfo { DatabaseInfo(database: self) }
}
