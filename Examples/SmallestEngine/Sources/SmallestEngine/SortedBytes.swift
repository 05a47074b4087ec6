internal import StorageEngineKit
import StorageProtocol

/// A sorted map of bytes with value semantics: a copy keeps what it was made of.
///
/// - Complexity: a look-up O(log n). A change O(n), as an array's: small maps are quick, large ones are not.
struct SortedBytes: Sendable, Equatable {
    private struct Entry: Equatable {
        var key: [UInt8]
        var value: [UInt8]
    }

    private var entries: [Entry] = []

    init() {}

    subscript(_ key: [UInt8]) -> [UInt8]? {
        get {
            let place = place(of: key)
            return place < entries.count && entries[place].key == key ? entries[place].value : nil
        }
        set {
            let place = place(of: key)
            let isThere = place < entries.count && entries[place].key == key
            switch newValue {
            case .some(let value) where isThere: entries[place].value = value
            case .some(let value): entries.insert(Entry(key: key, value: value), at: place)
            case .none where isThere: entries.remove(at: place)
            case .none: break
            }
        }
    }

    func forEach(
        in range: ByteRange,
        descending: Bool,
        _ body: (_ key: [UInt8], _ value: [UInt8]) throws(StorageError) -> Bool
    ) throws(StorageError) {
        let start =
            switch range.lower {
            case .open: 0
            case .including(let key): place(of: key)
            case .excluding(let key): place(of: key, orBehind: true)
            }
        let end =
            switch range.upper {
            case .open: entries.count
            case .including(let key): place(of: key, orBehind: true)
            case .excluding(let key): place(of: key)
            }
        var (low, high) = (start, end)
        while low < high {
            let entry = entries[descending ? high - 1 : low]
            guard try body(entry.key, entry.value) else { return }
            if descending { high -= 1 } else { low += 1 }
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

    // MARK: As bytes

    var packed: [UInt8] { ByteCoding.pack(entries.flatMap { [$0.key, $0.value] }) }

    /// - Throws: `corrupt` (591) for what is not packed, or whose keys are out of order.
    init(packed: [UInt8]) throws(StorageError) {
        let parts = try ByteCoding.unpack(packed)
        guard parts.count.isMultiple(of: 2) else { throw .corrupt("A key of the store has no value") }
        for place in stride(from: 0, to: parts.count, by: 2) {
            if let last = entries.last, compareBytes(last.key, parts[place]) >= 0 {
                throw .corrupt("The keys of the store are out of order")
            }
            entries.append(Entry(key: parts[place], value: parts[place + 1]))
        }
    }
}
