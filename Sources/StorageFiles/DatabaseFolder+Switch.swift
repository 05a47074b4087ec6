package import StorageProtocol
internal import Synchronization

extension DatabaseFolder {
    /// What happens to the blobs at a switch.
    package enum BlobChange: Sendable {
        /// The current blob generation stays.
        case keep
        /// A new blob generation has links to the same files (or copies, if the file system cannot link).
        case link
        /// A new blob generation has what `buildBlobs` puts there.
        case build
    }

    /// Builds the next generation beside the current one and switches to it. After a kill at any moment either the old
    /// or the new database exists in full. Every step is described in docs/internals/generation-switch.md.
    ///
    /// All steps run on the calling thread. Other processes must not have the folder open: this is checked before
    /// building, and enforced after it.
    ///
    /// - Parameters:
    ///   - members: All that the next manifest contains about the database; nil: the same as in the current one.
    ///   - seal: Makes the next manifest's MAC, with `members` of an encrypted database; nil: the current one.
    ///   - sharing: How processes share the next generation; nil: as they share the current one. Required if the
    ///     storage type changes.
    ///   - timeout: How long to wait for processes that are just opening the folder.
    ///   - build: Writes the engine's new files into the empty folder that it receives, and syncs them. The engine may
    ///     stay open there.
    ///   - buildBlobs: Fills the folder of blobs that it receives, and syncs it. Called after `build`, only with
    ///     `.build`.
    ///   - verify: Checks what was built.
    ///   - beforeCommit: Called when no other process has the database open or can open it. It must check that the
    ///     change counter is the last one that was copied, and throw if not.
    /// - Returns: The old generation. The caller deletes it when nothing in this process reads it any more.
    /// - Throws: `inUse` (423) naming the processes that have it open, `readOnly` (403), `full` (507), and errors of
    ///   the closures. The old generation then stays current, and the new one is removed.
    package func switchGeneration(
        blobs: BlobChange = .keep,
        members: ManifestMembers? = nil,
        seal: (any ManifestSealing)? = nil,
        sharing: StorageSharing? = nil,
        timeout: Duration = DatabaseFolder.defaultTimeout,
        build: (_ newDataDirectory: String) throws(StorageError) -> Void,
        buildBlobs: (_ newBlobDirectory: String) throws(StorageError) -> Void = { (_: String) throws(StorageError) in },
        verify: (_ newDataDirectory: String) throws(StorageError) -> Void = { (_: String) throws(StorageError) in },
        beforeCommit: () throws(StorageError) -> Void = { () throws(StorageError) in }
    ) throws(StorageError) -> RetiredGeneration {
        let staged = try prepareGeneration(blobs: blobs)
        do {
            try build(staged.dataDirectory)
            if blobs == .build, let directory = staged.blobDirectory { try buildBlobs(directory) }
            try verify(staged.dataDirectory)
            return try switchTo(
                staged,
                members: members,
                seal: seal,
                sharing: sharing,
                timeout: timeout,
                beforeCommit: beforeCommit
            )
        } catch {
            staged.discard()
            throw error
        }
    }

    /// Creates the folders of a next generation, for the caller to build in. No lock between processes is held during
    /// that time, and nothing else has to stop. The result is either adopted with `switchTo` or removed with `discard`.
    /// What a kill leaves is swept at the next open.
    ///
    /// - Throws: `inUse` (423) naming the other processes that have the database open, because a switch would be
    ///   impossible; `readOnly` (403), `full` (507), `corrupt` (591).
    package func prepareGeneration(blobs: BlobChange = .keep) throws(StorageError) -> StagedGeneration {
        try requireSwitchable()
        guard try isAlone() else { throw inUseByOthers() }
        let present = state.withLock { $0.manifest }
        guard present.manifest.serial < .max else {
            throw StorageError.corrupt("The manifest of '\(path)' has an impossible serial number")
        }
        let data = try makeGeneration(.data)
        do {
            let newBlobs = blobs == .keep ? nil : try makeGeneration(.blobs)
            return StagedGeneration(self, base: present, data: data, blobs: newBlobs, blobs)
        } catch {
            _ = try? Sweep.removeLocked(path, data.name, data.lock)
            throw error
        }
    }

    /// Switches to what was built in `staged`. These are the last steps of `switchGeneration`, the only ones that need
    /// locks. The engine's new files are complete and synced, and may be open.
    ///
    /// - Parameters: As for `switchGeneration`.
    /// - Returns: The old generation. The caller deletes it when nothing in this process reads it any more.
    /// - Throws: As `switchGeneration`, and `conflict` (409) if there was another switch in between. The old generation
    ///   then stays current, and the caller must discard `staged`.
    package func switchTo(
        _ staged: StagedGeneration,
        members: ManifestMembers? = nil,
        seal: (any ManifestSealing)? = nil,
        sharing: StorageSharing? = nil,
        timeout: Duration = DatabaseFolder.defaultTimeout,
        beforeCommit: () throws(StorageError) -> Void = { () throws(StorageError) in }
    ) throws(StorageError) -> RetiredGeneration {
        let (gate, lock) = try requireSwitchable()
        try staged.requireUnused()
        let old = staged.base.manifest
        var next = old
        next.serial += 1
        if let members { next.members = members }
        guard sharing != nil || next.storageType == old.storageType else {
            throw StorageError(
                .badParameter,
                "A switch to the storage type '\(next.storageType)' has to say how processes share it."
            )
        }
        next.dataGeneration = staged.data.number
        if let blobs = staged.blobs { next.blobGeneration = blobs.number }
        let nextSeal = next.isEncrypted ? seal ?? state.withLock { $0.seal } : nil
        let copy = try ManifestCopy(next, sealedBy: nextSeal)
        let becomesPrivate = next.isEncrypted && !old.isEncrypted
        if becomesPrivate || Files.isPrivate(path) {
            for folder in [staged.data, staged.blobs] { if let folder { Files.makePrivate(folder.path) } }
        }
        try Files.syncDirectory(staged.data.path)
        try linkBlobs(to: staged)
        try Files.syncDirectory(path)
        let retired = try exclusively(gate, lock, timeout: timeout) { () throws(StorageError) in
            try beforeCommit()
            // Link blobs that were published since.
            try linkBlobs(to: staged)
            // Before the manifest is: what is made in the folder from then on is made as its mode says.
            if becomesPrivate { Files.makePrivate(path) }
            return try shared(as: sharing) { () throws(StorageError) in
                // A reader with a key of the old manifest only would go by that copy.
                try commit(copy, nextSeal, replacing: old, needsBoth: next.keySlots != old.keySlots)
            }
        }
        staged.keep()
        return retired
    }

    /// Gives the current generation other members, for example other key slots. No other process may have the database
    /// open. On return, both copies of the manifest have them. After a kill either the old ones or the new ones are in
    /// effect.
    ///
    /// - Throws: As `switchTo`; `storage` (500), `full` (507) if the disk failed between the copies: the folder is then
    ///   unusable until it is opened again.
    package func replaceMembers(
        _ members: ManifestMembers,
        seal: (any ManifestSealing)?,
        timeout: Duration = DatabaseFolder.defaultTimeout
    ) throws(StorageError) {
        let (gate, lock) = try requireSwitchable()
        let old = manifest
        var next = old
        next.members = members
        guard old.serial < .max, next.storageType == old.storageType else {
            throw StorageError(.unexpected, "Another storage type needs a new generation.")
        }
        next.serial += 1
        let copy = try ManifestCopy(next, sealedBy: seal)
        _ = try exclusively(gate, lock, timeout: timeout) { () throws(StorageError) in
            // Its keys, and what they open, are no longer those of the database.
            dropEarlierConversion()
            return try commit(copy, seal, replacing: old, needsBoth: true)
        }
    }

    private func linkBlobs(to staged: StagedGeneration) throws(StorageError) {
        guard staged.blobChange == .link, let blobs = staged.blobs else { return }
        try BlobLinks.bring(blobs.path, upTo: path + "/" + staged.base.manifest.blobName)
    }

    /// Performs the switch itself. The first rename decides; a failure before it leaves the old generation.
    ///
    /// - Parameter needsBoth: Whether it is complete only when both copies are on disk.
    private func commit(
        _ copy: ManifestCopy,
        _ seal: (any ManifestSealing)?,
        replacing old: Manifest,
        needsBoth: Bool
    ) throws(StorageError) -> RetiredGeneration {
        // Else another database would get this manifest.
        try requireInPlace()
        let next = copy.manifest
        var retired: [RetiredGeneration.Folder] = []
        for (name, present) in [(old.dataName, next.dataName), (old.blobName, next.blobName)] where name != present {
            guard let lock = try Staging.lock(path + "/" + name, isDirectory: true) else {
                throw DatabaseFolder.inUse(path, "is locked by another program")
            }
            try GenerationMark.make(path, name)
            retired.append(RetiredGeneration.Folder(name: name, lock: lock))
        }
        let files = ManifestFiles(folder: path)
        var isVisible = false
        do {
            try files.write(copy, to: ManifestFiles.first) { isVisible = true }
            if needsBoth { try files.write(copy, to: ManifestFiles.copy) }
        } catch {
            if isVisible {
                let keys =
                    needsBoth ? " Keep the key that it had and the new one: either may be the one that opens it." : ""
                let failure = StorageError(
                    error.code == .full ? .full : .storage,
                    "The disk failed while '\(path)' was being switched to its next generation. Close the database and "
                        + "open it again: it is whole.\(keys)",
                    cause: error
                )
                state.withLock { $0.failure = failure }
                throw failure
            }
            throw error
        }
        state.withLock { state in
            state.manifest = copy
            state.seal = seal
        }
        // The first copy is on disk and decides. If the other one could not be written, it is repaired when there is
        // space again.
        let copied: Void? = needsBoth ? () : try? files.write(copy, to: ManifestFiles.copy)
        return RetiredGeneration(folder: self, manifest: copy, parts: retired, copyIsStale: copied == nil)
    }

    /// Creates a locked folder with a number that has not been used before.
    private func makeGeneration(_ kind: GenerationKind) throws(StorageError) -> NewGeneration {
        let used = try Files.names(in: path).compactMap { Manifest.generation(named: $0) }.filter { $0.kind == kind }
        var number = used.map(\.number).max() ?? 0
        guard number < UInt64.max - 1_000_000 else {
            throw StorageError.corrupt("'\(path)' has a generation folder of an impossible number")
        }
        while true {
            number += 1
            let name = Manifest.generationName(kind, number)
            try GenerationMark.make(path, name)
            do throws(StorageError) {
                if let lock = try Staging.makeDirectory(path + "/" + name) {
                    return NewGeneration(name: name, number: number, path: path + "/" + name, lock: lock)
                }
            } catch {
                GenerationMark.remove(path, name)
                throw error
            }
            // The existing folder is not ours.
            GenerationMark.remove(path, name)
        }
    }
}
