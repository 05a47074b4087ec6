package import StorageProtocol

/// The copy of the manifest that is in effect, and the data key with which it was opened. The rules are described in
/// docs/guide/encryption.md.
package struct ManifestChoice: Sendable {
    /// The index of the copy among the candidates.
    package let index: Int
    /// Nil for a plain database.
    package let dataKey: DataKey?

    /// Chooses one of the copies. Of equal serials the first is chosen.
    ///
    /// It derives keys: it may only be called under a lock if `isDerived` has returned true.
    /// - Parameters:
    ///   - candidates: One or more, in the order of the files' names.
    ///   - derivations: The derivations of the user's key, nil if there is no key.
    /// - Throws: `unauthorized` (401) if the key is missing or wrong, `badParameter` (495) for a key if all copies are
    ///   plain, `unsupportedFormat` (591) if this version supports none of the slots, `corrupt` (591) if no copy was
    ///   written with the data key, `storage` (590) if there is no memory.
    package init(of candidates: [ManifestCandidate], with derivations: SlotDerivations?) throws(StorageError) {
        let encrypted = ManifestChoice.newestFirst(candidates.indices.filter { candidates[$0].isEncrypted }, candidates)
        guard !encrypted.isEmpty else {
            guard derivations == nil else {
                throw StorageError(.badParameter, "The database is not encrypted. Open it without a key.")
            }
            guard let newest = ManifestChoice.newestFirst(Array(candidates.indices), candidates).first else {
                throw .corrupt("No copy of the manifest can be used")
            }
            (index, dataKey) = (newest, nil)
            return
        }
        guard let derivations else {
            throw StorageError(.unauthorized, "The database is encrypted. Open it with its key.")
        }
        var openings: [Int: Opening] = [:]
        var found: [DataKey] = []
        for index in encrypted {
            let opening = try Opening(candidates[index].keySlots, derivations)
            openings[index] = opening
            if case .tried(let keys) = opening { found += keys.filter { !found.contains($0) } }
        }
        guard !found.isEmpty else {
            throw ManifestChoice.wrongKey(encrypted.map { candidates[$0] }, openings: encrypted.map { openings[$0]! })
        }
        for index in encrypted {
            for key in found where try candidates[index].isSealed(with: key) {
                switch openings[index]! {
                case .tried(let keys):
                    guard keys.contains(key) else { throw ManifestChoice.revokedKey(candidates[index]) }
                    (self.index, dataKey) = (index, key)
                    return
                case .refused(let refusal):
                    throw refusal
                }
            }
        }
        throw .corrupt(
            "The key opens the encrypted database, but no copy of its manifest is as it was written with that key"
        )
    }

    /// Whether the choice among these requires no more derivations. It derives nothing itself.
    package static func isDerived(_ candidates: [ManifestCandidate], with derivations: SlotDerivations?) -> Bool {
        guard let derivations else { return true }
        return candidates.allSatisfy { !$0.isEncrypted || derivations.hasAll(of: $0.keySlots) }
    }

    /// The result of trying the key on the slots of one copy.
    private enum Opening {
        case tried([DataKey])
        /// This version supports none of its slots, which only matters if the copy is in effect.
        case refused(StorageError)

        init(_ slots: KeySlots, _ derivations: SlotDerivations) throws(StorageError) {
            do throws(StorageError) {
                self = .tried(try slots.opened(with: derivations))
            } catch {
                guard error.code == .unsupportedFormat else { throw error }
                self = .refused(error)
            }
        }
    }

    private static func newestFirst(_ indices: [Int], _ candidates: [ManifestCandidate]) -> [Int] {
        indices.sorted { a, b in
            let (first, second) = (candidates[a].serial, candidates[b].serial)
            return first == second ? a < b : first > second
        }
    }

    private static func wrongKey(_ copies: [ManifestCandidate], openings: [Opening]) -> StorageError {
        let refusals = openings.compactMap { opening in
            if case .refused(let refusal) = opening { refusal } else { nil }
        }
        if refusals.count == openings.count, let refusal = refusals.first { return refusal }
        return StorageError(
            .unauthorized,
            "The key does not open the encrypted database. Open it with its key." + note(copies)
        )
    }

    private static func revokedKey(_ copy: ManifestCandidate) -> StorageError {
        StorageError(
            .unauthorized,
            "The key opens an older state of the encrypted database, whose key was changed since. Open it with the new "
                + "one."
                + note([copy])
        )
    }

    /// Mentions unknown slots in the message: the key may be right, but for a slot that this version does not support.
    private static func note(_ copies: [ManifestCandidate]) -> String {
        let passedOver = copies.map(\.keySlots.passedOver).max() ?? 0
        guard passedOver > 0 else { return "" }
        return " Key slots that this version cannot use were not tried (\(passedOver)); a newer version of Settee may."
    }
}
