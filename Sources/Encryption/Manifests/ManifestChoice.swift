package import StorageProtocol

/// The copy of the manifest that is in effect, and the data key with which it was opened. The rules are described in
/// docs/guide/encryption.md.
package struct ManifestChoice: Sendable {
    /// The index of the copy among the candidates.
    package let index: Int
    /// Nil for a plain database.
    package let dataKey: DataKey?
    /// The indices of the copies that were not written with the data key of this database, or that are of another one.
    package let rejected: [Int]

    /// Chooses one of the copies. Of equal serials the first is chosen.
    ///
    /// Each copy is authenticated for itself first: what one of them says counts only if its MAC is right. It derives
    /// keys: it may only be called under a lock if `isDerived` has returned true.
    /// - Parameters:
    ///   - candidates: One or more, in the order of the files' names.
    ///   - derivations: The derivations of the user's key, nil if there is no key.
    ///   - usable: Receives the copies that may count, the newest first, and returns those that can be used, in the
    ///     same order; at least one. Without a key these are all copies, with a key those that are authentic.
    ///   - fits: Whether the data that a copy names is encrypted with this data key. Only asked if copies of several
    ///     databases are authentic.
    /// - Throws: `unauthorized` (401) if the key is missing or wrong, `badParameter` (495) for a key if all copies are
    ///   plain, `unsupportedFormat` (591) if this version supports none of the slots, `corrupt` (591) if no copy was
    ///   written with the data key, `storage` (590) if there is no memory; errors of the closures.
    package init(
        of candidates: [ManifestCandidate],
        with derivations: SlotDerivations?,
        usable: (_ authentic: [Int]) throws(StorageError) -> [Int] = { (all) throws(StorageError) in all },
        fits: (_ index: Int, DataKey) throws(StorageError) -> Bool = { (_, _) throws(StorageError) in true }
    ) throws(StorageError) {
        let encrypted = ManifestChoice.newestFirst(candidates.indices.filter { candidates[$0].isEncrypted }, candidates)
        guard !encrypted.isEmpty else {
            guard derivations == nil else {
                throw ManifestChoice.unneededKey
            }
            let plain = ManifestChoice.newestFirst(Array(candidates.indices), candidates)
            guard !plain.isEmpty, let newest = try usable(plain).first else {
                throw .corrupt("No copy of the manifest can be used")
            }
            (index, dataKey, rejected) = (newest, nil, [])
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
        var sealing: [Int: DataKey] = [:]
        for index in encrypted {
            for key in found where try candidates[index].isSealed(with: key) { sealing[index] = key }
        }
        guard !sealing.isEmpty else {
            throw .corrupt(
                "The key opens the encrypted database, but no copy of its manifest is as it was written with that key"
            )
        }
        let own = try ManifestChoice.ofThisDatabase(
            try usable(encrypted.filter { sealing[$0] != nil }),
            uuid: { candidates[$0].databaseUUID },
            fits: { (index) throws(StorageError) in try fits(index, sealing[index]!) }
        )
        guard let index = own.first, let dataKey = sealing[index] else {
            throw .corrupt("No copy of the manifest can be used")
        }
        switch openings[index]! {
        case .tried(let keys):
            guard keys.contains(dataKey) else { throw ManifestChoice.revokedKey(candidates[index]) }
        case .refused(let refusal):
            throw refusal
        }
        self.index = index
        self.dataKey = dataKey
        rejected = candidates.indices.filter { other in
            sealing[other] == nil
                || (!own.contains(other) && candidates[other].databaseUUID != candidates[index].databaseUUID)
        }
    }

    /// Returns those of the authentic copies that belong to the database in the folder. A copy of another database that
    /// the same key opens is authentic too; only the data can tell which one is in its own folder.
    private static func ofThisDatabase(
        _ copies: [Int],
        uuid: (Int) -> String,
        fits: (Int) throws(StorageError) -> Bool
    ) throws(StorageError) -> [Int] {
        guard Set(copies.map(uuid)).count > 1 else { return copies }
        var own: [Int] = []
        for copy in copies where try fits(copy) { own.append(copy) }
        // If the data fits none of them, it is damaged; opening it reports that.
        return own.isEmpty ? copies : own
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

    package static let unneededKey = StorageError(
        .badParameter,
        "The database is not encrypted. Open it without a key, or encrypt it: in code by opening it with a storage type "
            + "as well, in the shell with `settee rekey`."
    )

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
