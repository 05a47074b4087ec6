internal import SetteeEncryption
internal import StorageProtocol

/// The user keys of an open encrypted database, so that opening it again with a known key needs no derivation.
package final class KeyRing: Sendable {
    private struct State {
        var dataKey: DataKey
        var slots: KeySlots
        /// Keys that are known to open a slot.
        var known: [StorageKey]
    }

    private let state: Locked<State>

    init(_ dataKey: DataKey, slots: KeySlots, openedWith key: StorageKey) {
        state = Locked(State(dataKey: dataKey, slots: slots, known: [key]))
    }

    /// Checks that a key opens the database now. Takes as long as the slots' costs say, unless the key is known.
    ///
    /// - Throws: `unauthorized` (401).
    func admit(_ key: StorageKey?) throws(StorageError) {
        guard let key else {
            throw StorageError(.unauthorized, "The database is encrypted. Open it with its key.")
        }
        let (slots, isKnown) = state.withLock { state in (state.slots, state.known.contains(key)) }
        if isKnown { return }
        let opened = try slots.open(with: SlotDerivations(key: key))
        try state.withLock { (state) throws(StorageError) in
            // The slots may have changed in the meantime.
            guard let opened, opened == state.dataKey, state.slots == slots else {
                throw StorageError(
                    .unauthorized,
                    "The database is open with another key. Give the key that it is encrypted with."
                )
            }
            state.known.append(key)
        }
    }

    /// Changes the slots, and forgets keys that opened others.
    func change(slots: KeySlots, key: StorageKey) {
        state.withLock { state in
            state.slots = slots
            state.known = [key]
        }
    }
}
