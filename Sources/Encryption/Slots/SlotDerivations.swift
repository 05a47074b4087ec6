package import StorageProtocol

/// What one user's key has opened so far, for one opening of a database: so nothing is derived twice for the two copies
/// of the manifest, nor under a lock. It goes with the keys that it holds when the opening is over.
package final class SlotDerivations: Sendable {
    package let key: StorageKey
    /// By the slot's text; nil for one that the key does not open.
    private let found = Locked<[[UInt8]: DataKey?]>([:])

    package init(key: StorageKey) { self.key = key }

    /// Whether `KeySlots.open` has nothing left to derive for these. It derives nothing itself.
    package func hasAll(of slots: KeySlots) -> Bool {
        // A list that is refused is refused before anything is derived.
        guard let usable = try? slots.usable() else { return true }
        return found.withLock { found in
            usable.allSatisfy { $0.kind != key.kind || found[$0.text] != nil }
        }
    }

    /// Remembers what the key opens in a slot that was written for it.
    package func note(_ dataKey: DataKey, in slot: KeySlot) { found.withLock { $0[slot.text] = .some(dataKey) } }

    /// The data key that the user's key opens in a slot, nil if it opens none. Derives it the first time.
    func dataKey(of slot: KeySlot) throws(StorageError) -> DataKey? {
        if let known = found.withLock({ $0[slot.text] }) { return known }
        // Not under the lock: others may ask meanwhile what is there.
        let opened = try slot.open(with: key)
        found.withLock { $0[slot.text] = .some(opened) }
        return opened
    }
}
