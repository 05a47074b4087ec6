package import StorageProtocol

/// The slots of one manifest.
package struct KeySlots: Sendable, Equatable {
    /// Each as it is in the manifest.
    package let texts: [[UInt8]]

    /// The maximum number of slots in a manifest.
    package static let most = 8
    /// The maximum number of slots for passphrases, each of which takes time.
    package static let mostForPassphrases = 4

    package init(_ texts: [[UInt8]]) { self.texts = texts }

    /// Returns the data key that the user's key opens, or nil if it opens none.
    ///
    /// All slots of the key's kind are tried, whichever fits, so that the time does not reveal which one it was. The
    /// time depends on their costs: do not call this under a lock that others wait for, unless `SlotDerivations.hasAll`
    /// is true.
    /// - Throws: `unsupportedFormat` (591) if there are too many slots, or none that this version supports; `storage`
    ///   (590) if there is no memory.
    package func open(with derivations: SlotDerivations) throws(StorageError) -> DataKey? {
        try opened(with: derivations).first
    }

    /// Returns the results of all slots. They are all the same data key, unless slots with different ones were put
    /// together.
    func opened(with derivations: SlotDerivations) throws(StorageError) -> [DataKey] {
        var opened: [DataKey] = []
        for slot in try usable() where slot.kind == derivations.key.kind {
            if let key = try derivations.dataKey(of: slot) { opened.append(key) }
        }
        return opened
    }

    /// The number of slots that are skipped.
    package var passedOver: Int {
        texts.count { text in
            if case .slot = KeySlot.read(text) { false } else { true }
        }
    }

    /// Returns the slots that can be tried, without trying any.
    func usable() throws(StorageError) -> [KeySlot] {
        guard texts.count <= KeySlots.most else {
            throw KeySlots.refusal("has \(texts.count) key slots, and this version takes at most \(KeySlots.most)")
        }
        var usable: [KeySlot] = []
        var forPassphrases = 0
        for text in texts {
            switch KeySlot.read(text) {
            case .slot(let slot):
                usable.append(slot)
                if slot.kind == .passphrase { forPassphrases += 1 }
            case .costOutOfRange:
                forPassphrases += 1
            case .unknownDerivation, .malformed:
                break
            }
        }
        guard forPassphrases <= KeySlots.mostForPassphrases else {
            throw KeySlots.refusal(
                "has \(forPassphrases) key slots for passphrases, and this version takes at most "
                    + "\(KeySlots.mostForPassphrases)"
            )
        }
        guard !usable.isEmpty else {
            throw KeySlots.refusal("has no key slot that this version can use")
        }
        return usable
    }

    private static func refusal(_ what: String) -> StorageError {
        StorageError(
            .unsupportedFormat,
            "The manifest of the encrypted database \(what). Use a newer version of Settee, or restore the manifest "
                + "from a copy of "
                + "the database."
        )
    }
}
