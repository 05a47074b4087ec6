internal import StorageEngineKit
internal import StorageProtocol
internal import Testing

class LimitedReadTransaction: ReadTransaction, ShortKeyMapReader {
    final let transactionGuard: TransactionGuard
    final let engine: LimitedEngine
    final var map: LimitedMap
    /// How many look-ups, listings and changes the map was asked for.
    final var calls = 0
    final var longestKey: Int { engine.longestKey }

    init(_ engine: LimitedEngine, _ map: LimitedMap, isWriter: Bool = false) {
        self.engine = engine
        self.map = map
        transactionGuard = TransactionGuard(engine.gate, isWriter: isWriter) { engine.didEnd(isWriter: isWriter) }
    }

    func end() { transactionGuard.end() }

    final func storedValue(_ key: [UInt8]) throws(StorageError) -> [UInt8]? {
        calls += 1
        return try map.value(key)
    }

    final func storedValues(
        in range: ByteRange,
        descending: Bool,
        _ body: (_ key: [UInt8], _ value: [UInt8]) throws(StorageError) -> Bool
    ) throws(StorageError) {
        calls += 1
        let map = map
        try map.forEach(in: range, descending: descending, body)
    }
}

final class LimitedWriteTransaction: LimitedReadTransaction, WriteTransaction, ShortKeyMapWriter {
    private var hasWritten = false
    var isBeingBuilt: Bool { engine.isBeingBuilt }

    func commit() throws(StorageError) {
        do throws(StorageError) {
            try transactionGuard.checkWrite()
        } catch {
            if error.code != .callback { rollback() }
            throw error
        }
        defer { rollback() }
        guard hasWritten else { return }
        try countChange()
        engine.commit(map)
    }

    func rollback() { transactionGuard.end() }

    func setStoredValue(_ value: [UInt8]?, of key: [UInt8]) throws(StorageError) {
        calls += 1
        if try map.set(value, of: key) { hasWritten = true }
    }
}

extension LimitedWriteTransaction {
    /// A transaction of a store of its own, whose keys have up to `longestKey` bytes.
    static func ofNewStore(longestKey: Int) throws -> LimitedWriteTransaction {
        let engine = LimitedEngine(try LimitedEngineFactory(longestKey: longestKey), StorageOptions())
        return try #require(try engine.beginWrite(patience: nil) as? LimitedWriteTransaction)
    }

    /// All keys in a range.
    func keys(in range: ByteRange = .all, descending: Bool = false) throws(StorageError) -> [[UInt8]] {
        var keys: [[UInt8]] = []
        try values(in: range, descending: descending) { (key, _) throws(StorageError) in
            keys.append(key)
            return true
        }
        return keys
    }

    /// What the check of the chains finds.
    func chainProblems() throws(StorageError) -> [String] {
        var problems: [String] = []
        try checkLongKeys { problems.append($0.message) }
        return problems
    }
}
