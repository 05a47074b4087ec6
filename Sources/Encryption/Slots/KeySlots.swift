package import StorageProtocol

/// The slots of one manifest.
package struct KeySlots: Sendable, Equatable {
    /// Each as it lies in the manifest.
    package let texts: [[UInt8]]

    /// A manifest has no more.
    package static let most = 8
    /// No more of them are for passphrases, each of which takes its time.
    package static let mostForPassphrases = 4

    package init(_ texts: [[UInt8]]) { self.texts = texts }

    /// The data key that the user's key opens, nil where it opens none.
    ///
    /// All slots of the key's kind are tried, whichever fits, so that the time does not tell which one it was. It takes
    /// as long as their costs say: not to be called under a lock that others wait for, unless `SlotDerivations.hasAll`
    /// says that nothing is left to do.
    /// - Throws: `unsupportedFormat` (591) where there are too many slots, or none that this version can use; `storage`
    ///   (590) where there is no memory.
    package func open(with derivations: SlotDerivations) throws(StorageError) -> DataKey? {
        try opened(with: derivations).first
    }

    /// What all slots give. It is one data key, unless somebody has put slots together.
    func opened(with derivations: SlotDerivations) throws(StorageError) -> [DataKey] {
        var opened: [DataKey] = []
        for slot in try usable() where slot.kind == derivations.key.kind {
            if let key = try derivations.dataKey(of: slot) { opened.append(key) }
        }
        return opened
    }

    /// The number of slots that are passed over.
    package var passedOver: Int {
        texts.count { text in
            if case .slot = KeySlot.read(text) { false } else { true }
        }
    }

    /// The slots that may be tried, without having tried any.
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
