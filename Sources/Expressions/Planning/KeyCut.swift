internal import SetteeDocumentValues
internal import StorageProtocol

/// A place between collation keys: before or behind all that begin with a byte string.
struct KeyCut: Sendable, Comparable {
    let key: [UInt8]
    let isBehind: Bool
    /// The keys from this byte string on are behind the cut. Nil: no key is.
    let position: [UInt8]?

    static let first = KeyCut.before([])
    static let last = KeyCut(key: [], isBehind: true, position: nil)

    static func before(_ key: [UInt8]) -> KeyCut {
        // Its beginning is no key, so none lies between it and what zeros are added to: the first array is behind all
        // strings at once.
        let end = key.lastIndex { $0 != 0 } ?? -1
        return KeyCut(key: key, isBehind: false, position: end == key.count - 1 ? key : Array(key[...end]))
    }

    static func behind(_ key: [UInt8]) -> KeyCut {
        KeyCut(key: key, isBehind: true, position: CollationKey.end(ofPrefix: key))
    }

    /// The same place among the keys that begin with a byte, which the keys follow that this one is between.
    func behind(_ tag: UInt8) -> KeyCut { isBehind ? .behind([tag] + key) : .before([tag] + key) }

    static func == (a: KeyCut, b: KeyCut) -> Bool { a.position == b.position }

    static func < (a: KeyCut, b: KeyCut) -> Bool {
        guard let a = a.position else { return false }
        guard let b = b.position else { return true }
        return compareBytes(a, b) < 0
    }
}
