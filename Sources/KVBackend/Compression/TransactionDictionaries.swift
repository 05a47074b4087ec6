internal import StorageProtocol

/// The dictionaries that one transaction sees. The identity of a dictionary in the engine's cache is compared with the
/// table once per transaction, because another process, or a transaction of ours that was rolled back, may have made
/// another dictionary with the same version.
final class TransactionDictionaries<Transaction: OrderedTransaction> {
    let cache: DictionaryCache
    private let transaction: Transaction
    private var used: [CompressionDictionary] = []
    private var newestIsKnown = false
    private var knownNewest: CompressionDictionary?

    init(transaction: Transaction, cache: DictionaryCache) {
        self.transaction = transaction
        self.cache = cache
    }

    /// Returns the dictionary with this version; nil for 0.
    ///
    /// - Throws: `corrupt` (591) if it is missing or damaged.
    func find(_ version: UInt32) throws(StorageError) -> CompressionDictionary? {
        guard version > 0 else { return nil }
        if let known = used.first(where: { $0.version == version }) { return known }
        let found = try unsafe withKey(version) {
            (key: UnsafeRawBufferPointer) throws(StorageError) -> CompressionDictionary in
            try unsafe transaction.withValue(of: key, in: .dictionaries) {
                (stored: UnsafeRawBufferPointer?) throws(StorageError) -> CompressionDictionary in
                guard let stored = unsafe stored else {
                    throw .corrupt("A body needs compression dictionary \(version), which is not in the store")
                }
                return try unsafe read(version, stored)
            }
        }
        used.append(found)
        return found
    }

    /// Returns the dictionary with the highest version, if there is any.
    ///
    /// - Throws: `corrupt` (591).
    func newest() throws(StorageError) -> CompressionDictionary? {
        if newestIsKnown { return knownNewest }
        let cursor = try transaction.cursor(.dictionaries)
        defer { cursor.close() }
        if try cursor.seek(.last) {
            guard let version = unsafe Self.version(cursor.key) else { throw .damagedKey }
            knownNewest = try find(version)
        }
        newestIsKnown = true
        return knownNewest
    }

    /// Returns the versions in the store, with the lengths of their values.
    func all() throws(StorageError) -> [(version: UInt32, length: Int)] {
        let cursor = try transaction.cursor(.dictionaries)
        defer { cursor.close() }
        var all: [(version: UInt32, length: Int)] = []
        var isThere = try cursor.seek(.first)
        var order = KeyOrder()
        while isThere {
            try unsafe order.pass(cursor.key)
            guard let version = unsafe Self.version(cursor.key) else { throw .damagedKey }
            all.append((version, unsafe cursor.value.count))
            isThere = try cursor.next()
        }
        return all
    }

    /// Returns the version that a key of the table stands for, or nil if the bytes are not such a key.
    static func version(_ key: UnsafeRawBufferPointer) -> UInt32? {
        guard key.count == 4 else { return nil }
        let version = unsafe UInt32(bigEndian: key.loadUnaligned(as: UInt32.self))
        return version > 0 ? version : nil
    }

    /// Stores a dictionary with a version above all in the table.
    func add(_ dictionary: CompressionDictionary) throws(StorageError) {
        try unsafe withKey(dictionary.version) { (key: UnsafeRawBufferPointer) throws(StorageError) in
            _ = try unsafe transaction.put(
                key,
                in: .dictionaries,
                length: dictionary.storedLength,
                mode: .append,
                { (target: UnsafeMutableRawBufferPointer) in unsafe dictionary.writeStored(to: target) }
            )
        }
        cache.keep(dictionary)
        used.append(dictionary)
        knownNewest = dictionary
        newestIsKnown = true
    }

    private func read(_ version: UInt32, _ stored: UnsafeRawBufferPointer) throws(StorageError) -> CompressionDictionary
    {
        let identity = try unsafe CompressionDictionary.identity(version: version, stored: stored)
        if let known = cache.find(version, identity) { return known }
        let dictionary = try unsafe CompressionDictionary(version: version, stored: stored)
        cache.keep(dictionary)
        return dictionary
    }

    private func withKey<R>(
        _ version: UInt32,
        _ use: (UnsafeRawBufferPointer) throws(StorageError) -> R
    ) throws(StorageError) -> R {
        var key = version.bigEndian
        return try unsafe withUnsafeBytes(of: &key, use)
    }
}
