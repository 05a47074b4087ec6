#if RocksDB
import StorageConformance
import StorageProtocol
import Testing

@testable import SetteeKV

/// Does the same random operations to two transactions, and compares what they answer.
struct OrderedRun<First: OrderedTransaction, Second: OrderedTransaction> {
    private let first: First
    private let second: Second
    private var random: SeededGenerator
    private let longestKey: Int
    private static var tables: [Table] { [.documents, .rows] }
    /// How `first` removes a range.
    private let removal: (First, ByteRange, Table) throws -> Void

    /// A cursor of each, and the key that both were last at.
    private struct Pair {
        var table: Table
        var first: First.Cursor
        var second: Second.Cursor
        var key: [UInt8]?
    }

    init(
        _ first: First,
        _ second: Second,
        _ random: inout SeededGenerator,
        longestKey: Int = 3,
        removal: @escaping (First, ByteRange, Table) throws -> Void = { _ = try $0.removeRange($1, in: $2, until: nil) }
    ) {
        self.removal = removal
        (self.first, self.second) = (first, second)
        self.longestKey = longestKey
        self.random = SeededGenerator(seed: random.next())
    }

    /// Reads and writes.
    mutating func run(operations: Int) throws {
        var cursors: [Pair] = []
        for _ in 0..<operations {
            if cursors.isEmpty || random.below(20) == 0 {
                let table = Self.tables[random.below(2)]
                cursors.append(Pair(table: table, first: try first.cursor(table), second: try second.cursor(table)))
            }
            let place = random.below(cursors.count)
            switch random.below(14) {
            case 0...3: try put()
            case 4: try remove()
            case 5: try look()
            case 6 where cursors.count > 1:
                cursors[place].first.close()
                cursors[place].second.close()
                cursors.remove(at: place)
            case 7: try removeRange()
            case 8: try removeHere(&cursors[place])
            default: try move(&cursors[place])
            }
        }
        for cursor in cursors {
            cursor.first.close()
            cursor.second.close()
        }
    }

    /// Reads only.
    mutating func read(operations: Int) throws {
        for table in Self.tables {
            var pair = Pair(table: table, first: try first.cursor(table), second: try second.cursor(table))
            for _ in 0..<operations {
                try look()
                try move(&pair)
            }
            pair.first.close()
            pair.second.close()
        }
        var keys = ListedKeys(bytes: (0..<90).map { _ in key() })
        keys.bytes.sort { $0.lexicographicallyPrecedes($1) }
        var answers: [[UInt8]?] = []
        try first.values(of: keys, in: .documents) { (_, _, value) throws(StorageError) in
            answers.append(value.map { Array($0) })
            return true
        }
        var expected: [[UInt8]?] = []
        try second.values(of: keys, in: .documents) { (_, _, value) throws(StorageError) in
            expected.append(value.map { Array($0) })
            return true
        }
        #expect(answers == expected)
    }

    private mutating func key() -> [UInt8] {
        let length = 1 + random.below(longestKey)
        return (0..<length).map { _ in [0, 1, 2, 0x7F, 0xFF][random.below(5)] }
    }

    private mutating func put() throws {
        let (key, table) = (key(), Self.tables[random.below(2)])
        let value = [UInt8](repeating: UInt8(random.below(256)), count: random.below(40))
        let mode: PutMode = random.below(2) == 0 ? .insert : .upsert
        func write(_ transaction: some OrderedTransaction) throws(StorageError) -> Bool {
            try key.withRawBytes { (key) throws(StorageError) in
                try transaction.put(key, in: table, length: value.count, mode: mode) { $0.copyBytes(from: value) }
            }
        }
        #expect(try write(first) == write(second))
    }

    private mutating func remove() throws {
        let (key, table) = (key(), Self.tables[random.below(2)])
        func remove(_ transaction: some OrderedTransaction) throws(StorageError) -> Bool {
            try key.withRawBytes { (key) throws(StorageError) in
                try transaction.remove(key, in: table, mode: .asked)
            }
        }
        #expect(try remove(first) == remove(second))
    }

    private mutating func removeRange() throws {
        let bounds = [key(), key()].sorted { $0.lexicographicallyPrecedes($1) }
        let range = ByteRange(
            lower: [.open, .including(bounds[0]), .excluding(bounds[0])][random.below(3)],
            upper: [.excluding(bounds[1]), .including(bounds[1]), .open][random.below(3)]
        )
        let table = Self.tables[random.below(2)]
        guard random.below(6) == 0 else { return }
        try removal(first, range, table)
        _ = try second.removeRange(range, in: table, until: nil)
    }

    private mutating func look() throws {
        let (key, table) = (key(), Self.tables[random.below(2)])
        func value(_ transaction: some OrderedTransaction) throws(StorageError) -> [UInt8]? {
            try key.withRawBytes { (key) throws(StorageError) in
                try transaction.withValue(of: key, in: table) { (value) throws(StorageError) in value.map { Array($0) }
                }
            }
        }
        #expect(try value(first) == value(second))
    }

    private mutating func move(_ pair: inout Pair) throws {
        let step = random.below(8)
        let sought = key()
        let (isThere, expected): (Bool, Bool)
        switch step {
        case 0: (isThere, expected) = (try pair.first.seek(.first), try pair.second.seek(.first))
        case 1: (isThere, expected) = (try pair.first.seek(.last), try pair.second.seek(.last))
        case 2: (isThere, expected) = (try pair.first.seek(atOrAfter: sought), try pair.second.seek(atOrAfter: sought))
        case 3: (isThere, expected) = (try pair.first.seek(before: sought), try pair.second.seek(before: sought))
        case 4, 5:
            isThere = try pair.first.previous()
            // What was written since moves the reference's cursor.
            expected = try pair.key.map { (key) throws in try pair.second.seek(before: key) } ?? false
        default:
            isThere = try pair.first.next()
            expected = try pair.key.map { (key) throws in try pair.second.seek(atOrAfter: key + [0]) } ?? false
        }
        #expect(isThere == expected)
        pair.key = isThere ? Array(pair.first.key) : nil
        guard isThere, expected else { return }
        #expect(Array(pair.first.key) == Array(pair.second.key))
        #expect(Array(pair.first.value) == Array(pair.second.value))
    }

    /// Removes an entry; both cursors stay between its neighbours.
    private mutating func removeHere(_ pair: inout Pair) throws {
        let sought = key()
        let isThere = try pair.first.seek(atOrAfter: sought)
        #expect(try pair.second.seek(atOrAfter: sought) == isThere)
        pair.key = isThere ? Array(pair.first.key) : nil
        guard isThere else { return }
        try pair.first.remove()
        try pair.second.remove()
    }
}

extension OrderedCursor {
    fileprivate func seek(atOrAfter key: [UInt8]) throws(StorageError) -> Bool {
        try key.withRawBytes { (key) throws(StorageError) in try seek(.atOrAfter(key)) }
    }

    fileprivate func seek(before key: [UInt8]) throws(StorageError) -> Bool {
        try key.withRawBytes { (key) throws(StorageError) in try seek(.before(key)) }
    }
}

private struct ListedKeys: KeyList {
    var bytes: [[UInt8]]
    var count: Int { bytes.count }

    func withKey<R>(
        _ number: Int,
        _ body: (UnsafeRawBufferPointer) throws(StorageError) -> R
    ) throws(StorageError) -> R {
        try bytes[number].withRawBytes { (bytes) throws(StorageError) in try body(bytes) }
    }
}
#endif
