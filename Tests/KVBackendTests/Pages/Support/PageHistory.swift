import CSetteeLMDB
import StorageConformance

/// Random work on a `PageFolder`: the shapes that documents, indexes and long keys make.
struct PageHistory {
    var random: SeededGenerator
    private var keys: [[[UInt8]]] = Array(repeating: [], count: PageFolder.tables.count)
    private var counter: UInt64 = 0
    private var reader: OpaquePointer?

    private let largestValue: Int

    init(seed: UInt64, largestValue: Int = 120_000) {
        random = SeededGenerator(seed: seed)
        self.largestValue = largestValue
    }

    /// One transaction, which is sometimes aborted.
    mutating func step(_ folder: PageFolder, operations: Int) throws {
        let saved = (keys, counter)
        let transaction = try folder.begin()
        for _ in 0..<operations { try change(folder, transaction) }
        if random.chance(10, in: 100) {
            mdb_txn_abort(transaction)
            (keys, counter) = saved
        } else if mdb_txn_commit(transaction) != 0 {
            throw PageFolder.Failure(code: -1)
        }
        try holdReader(folder)
    }

    /// Ends the reader that keeps pages from being reused.
    mutating func end() {
        if let reader { mdb_txn_abort(reader) }
        reader = nil
    }

    private mutating func holdReader(_ folder: PageFolder) throws {
        if reader != nil, random.chance(30, in: 100) { end() }
        if reader == nil, random.chance(20, in: 100) { reader = try folder.begin(readOnly: true) }
    }

    private mutating func change(_ folder: PageFolder, _ transaction: OpaquePointer) throws {
        let table = random.below(PageFolder.tables.count)
        switch random.below(1_000) {
        case 0..<2:
            try folder.empty(table: table, transaction)
            keys[table] = []
        case 2..<10:
            try removeMany(folder, table, transaction)
        case 10..<300 where !keys[table].isEmpty:
            let place = random.below(keys[table].count)
            try folder.remove(keys[table][place], table: table, transaction)
            keys[table].swapAt(place, keys[table].count - 1)
            keys[table].removeLast()
        case 300..<500 where !keys[table].isEmpty:
            let key = keys[table][random.below(keys[table].count)]
            try folder.put(key, value(), table: table, transaction)
        case 500..<510:
            let key = newKey(table)
            try folder.reserve(key, random.below(largestValue / 2), table: table, transaction)
            // Often removed before it was ever written.
            if random.chance(50, in: 100) {
                try folder.remove(key, table: table, transaction)
            } else {
                keys[table].append(key)
            }
        default:
            let key = newKey(table)
            try folder.put(key, value(), table: table, transaction)
            keys[table].append(key)
        }
    }

    private mutating func removeMany(_ folder: PageFolder, _ table: Int, _ transaction: OpaquePointer) throws {
        keys[table].sort { $0.lexicographicallyPrecedes($1) }
        guard !keys[table].isEmpty else { return }
        let first = random.below(keys[table].count)
        let last = min(keys[table].count, first + random.below(400))
        for key in keys[table][first..<last] { try folder.remove(key, table: table, transaction) }
        keys[table].removeSubrange(first..<last)
    }

    private mutating func newKey(_ table: Int) -> [UInt8] {
        counter += 1
        let number = withUnsafeBytes(of: counter.bigEndian) { Array($0) }
        switch table {
        case 1: return number
        case 2: return Array("a rather long key that many share ".utf8) + random.bytes(random.below(30)) + number
        case 4: return random.bytes(300 + random.below(200)) + number
        default: return random.bytes(1 + random.below(40)) + number
        }
    }

    private mutating func value() -> [UInt8] {
        switch random.below(100) {
        case 0..<70: random.bytes(random.below(300))
        case 70..<92: random.bytes(random.below(2_100))
        case 92..<99: random.bytes(random.below(9_000))
        default: random.bytes(random.below(largestValue))
        }
    }
}
