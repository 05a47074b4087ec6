import StorageProtocol

@testable import SetteeKV

/// What a table with long keys should hold.
struct LongKeyModel {
    private(set) var entries: [(key: [UInt8], value: [UInt8])] = []

    /// The first entry at or after `key`.
    func lowerBound(_ key: [UInt8]) -> Int {
        var low = 0
        var high = entries.count
        while low < high {
            let middle = (low + high) / 2
            if compareBytes(entries[middle].key, key) < 0 { low = middle + 1 } else { high = middle }
        }
        return low
    }

    func value(_ key: [UInt8]) -> [UInt8]? {
        let place = lowerBound(key)
        return place < entries.count && entries[place].key == key ? entries[place].value : nil
    }

    mutating func set(_ key: [UInt8], _ value: [UInt8]) {
        let place = lowerBound(key)
        if place < entries.count && entries[place].key == key {
            entries[place].value = value
        } else {
            entries.insert((key, value), at: place)
        }
    }

    mutating func remove(_ key: [UInt8]) -> Bool {
        let place = lowerBound(key)
        guard place < entries.count && entries[place].key == key else { return false }
        entries.remove(at: place)
        return true
    }
}

/// Node numbers from 1.
final class CountedNodes: NodeNumbers {
    var last: UInt64 = 0

    func nextNode() throws(StorageError) -> UInt64 {
        last += 1
        return last
    }
}

/// The calls with arrays.
extension LongKeyTable {
    func value(_ key: [UInt8]) throws(StorageError) -> [UInt8]? {
        try key.span.bytes.withUnsafeBytes { (key) throws(StorageError) in
            try withValue(of: key) { (value) throws(StorageError) in value.map { Array($0) } }
        }
    }

    @discardableResult
    func put(
        _ key: [UInt8],
        _ value: [UInt8],
        _ mode: PutMode = .upsert,
        _ numbers: some NodeNumbers
    ) throws(StorageError) -> Bool {
        try key.span.bytes.withUnsafeBytes { (key) throws(StorageError) in
            try put(key, length: value.count, mode: mode, numbers: numbers) { $0.copyBytes(from: value) }
        }
    }

    func remove(_ key: [UInt8]) throws(StorageError) -> Bool {
        try key.span.bytes.withUnsafeBytes { (key) throws(StorageError) in try remove(key) }
    }

    /// What the store itself holds.
    func storedKeys() throws(StorageError) -> [[UInt8]] { try keys(in: table) }
    func chunks() throws(StorageError) -> [[UInt8]] { try keys(in: .chunks) }

    private func keys(in table: Table) throws(StorageError) -> [[UInt8]] {
        let cursor = try transaction.cursor(table)
        defer { cursor.close() }
        var keys: [[UInt8]] = []
        var isThere = try cursor.seek(.first)
        while isThere {
            keys.append(Array(cursor.key))
            isThere = try cursor.next()
        }
        return keys
    }

    /// What the check of the chains finds.
    func problems(_ nodes: CountedNodes) throws(StorageError) -> [String] {
        var problems: [String] = []
        _ = try LongKeyCheck.run(in: transaction, nextNode: nodes.last + 1) { problems.append($0.message) }
        return problems
    }

    /// All keys, from the first on or from the last back.
    func keys(_ direction: CursorDirection = .forward) throws(StorageError) -> [[UInt8]] {
        let cursor = try cursor()
        defer { cursor.close() }
        var keys: [[UInt8]] = []
        var isThere = try cursor.seek(direction == .forward ? .first : .last)
        while isThere {
            keys.append(Array(cursor.key))
            isThere = try direction == .forward ? cursor.next() : cursor.previous()
        }
        return keys
    }
}

extension LongKeyCursor {
    func seek(atOrAfter key: [UInt8]) throws(StorageError) -> Bool {
        try key.span.bytes.withUnsafeBytes { (key) throws(StorageError) in try seek(.atOrAfter(key)) }
    }

    func seek(before key: [UInt8]) throws(StorageError) -> Bool {
        try key.span.bytes.withUnsafeBytes { (key) throws(StorageError) in try seek(.before(key)) }
    }
}
