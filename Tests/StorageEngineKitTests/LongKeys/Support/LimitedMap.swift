internal import StorageEngineKit
internal import StorageProtocol

/// A sorted map of bytes with value semantics that refuses keys above a length, for writing, for reading and as bounds,
/// and empty keys: like the indexes of many stores.
struct LimitedMap: Sendable {
    struct Entry: Sendable, Equatable {
        var key: [UInt8]
        var value: [UInt8]
    }

    let longestKey: Int
    /// The largest value that is accepted.
    var longestValue = Int.max
    var entries: [Entry] = []

    init(longestKey: Int) { self.longestKey = longestKey }

    func value(_ key: [UInt8]) throws(StorageError) -> [UInt8]? {
        try check(key)
        let place = place(of: key)
        return place < entries.count && entries[place].key == key ? entries[place].value : nil
    }

    /// Returns whether anything has changed.
    mutating func set(_ value: [UInt8]?, of key: [UInt8]) throws(StorageError) -> Bool {
        try check(key)
        if let value, value.count > longestValue { throw StorageError(.tooLarge, "The value is too large") }
        let place = place(of: key)
        let isThere = place < entries.count && entries[place].key == key
        switch value {
        case .some(let value) where isThere: entries[place].value = value
        case .some(let value): entries.insert(Entry(key: key, value: value), at: place)
        case .none where isThere: entries.remove(at: place)
        case .none: return false
        }
        return true
    }

    func forEach(
        in range: ByteRange,
        descending: Bool,
        _ body: (_ key: [UInt8], _ value: [UInt8]) throws(StorageError) -> Bool
    ) throws(StorageError) {
        var (low, high) = (0, entries.count)
        switch range.lower {
        case .open: break
        case .including(let key): low = try bound(key)
        case .excluding(let key): low = try bound(key, orBehind: true)
        }
        switch range.upper {
        case .open: break
        case .including(let key): high = try bound(key, orBehind: true)
        case .excluding(let key): high = try bound(key)
        }
        while low < high {
            let entry = entries[descending ? high - 1 : low]
            guard try body(entry.key, entry.value) else { return }
            if descending { high -= 1 } else { low += 1 }
        }
    }

    private func bound(_ key: [UInt8], orBehind: Bool = false) throws(StorageError) -> Int {
        try check(key)
        return place(of: key, orBehind: orBehind)
    }

    private func check(_ key: [UInt8]) throws(StorageError) {
        guard 1...longestKey ~= key.count else {
            throw StorageError(.storage, "The map takes no key of \(key.count) bytes")
        }
    }

    /// How many keys are before `key`, or with `orBehind` not after it.
    private func place(of key: [UInt8], orBehind: Bool = false) -> Int {
        var (low, high) = (0, entries.count)
        while low < high {
            let middle = (low + high) / 2
            let order = compareBytes(entries[middle].key, key)
            if order < 0 || orBehind && order == 0 { low = middle + 1 } else { high = middle }
        }
        return low
    }
}
