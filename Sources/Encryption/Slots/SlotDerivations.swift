package import StorageProtocol

/// The slots that one user's key has opened so far, during one opening of a database. So nothing is derived twice for
/// the two copies of the manifest, or under a lock. It is released, with the keys that it holds, when the opening is
/// over.
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

    /// Records the data key in a slot that was created with the user's key.
    package func note(_ dataKey: DataKey, in slot: KeySlot) { found.withLock { $0[slot.text] = .some(dataKey) } }

    /// Returns the data key that the user's key opens in a slot, or nil if it opens none. Derives it the first time.
    func dataKey(of slot: KeySlot) throws(StorageError) -> DataKey? {
        if let known = found.withLock({ $0[slot.text] }) { return known }
        // Not under the lock, so that other threads can read existing results in the meantime.
        let opened = try slot.open(with: key)
        found.withLock { $0[slot.text] = .some(opened) }
        return opened
    }
}
