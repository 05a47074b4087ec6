package import StorageProtocol
internal import Synchronization

extension DatabaseFolder {
    /// What becomes of the blobs at a switch.
    package enum BlobChange: Sendable {
        /// The present blob generation stays.
        case keep
        /// A new blob generation with links to (or, where the file system cannot link, copies of) the same files.
        case link
        /// A new blob generation with what `buildBlobs` puts there.
        case build
    }

    /// Builds the next generation beside the present one and switches to it. After a kill at any instant the old or the
    /// new database is there, whole. docs/internals/generation-switch.md has every step.
    ///
    /// All steps run on the calling thread. Other processes must not have the folder open: that is looked at before
    /// building, and decided after.
    ///
    /// - Parameters:
    ///   - members: what the next manifest says of the database, all of it; nil: what the present one says.
    ///   - seal: makes the next manifest's MAC, with `members` of an encrypted database; nil: that of the present one.
    ///   - sharing: how processes share the next generation; nil: as they share the present one. Must be given where
    ///     the storage type is another.
    ///   - timeout: how long to wait for processes that are just opening the folder.
    ///   - build: writes the engine's new files into the empty folder that it is given, and syncs them. The engine may
    ///     stay open there.
    ///   - buildBlobs: fills the folder of blobs that it is given, and syncs it; called after `build`, with `.build`
    ///     only.
    ///   - verify: looks at what was built.
    ///   - beforeCommit: called when nobody else has the database open and nobody can open it: the caller makes sure
    ///     that the change counter is the last one it has copied, and throws if not.
    /// - Returns: the old generation, for the caller to delete when nothing in this process reads it any more.
    /// - Throws: `inUse` (423) naming who has it open, `readOnly` (403), `full` (507), and what the closures throw; the
    ///   old generation is the present one then, and the new one is gone.
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

    /// Makes the folders of a next generation, for the caller to build in: no lock between processes is held meanwhile,
    /// and nothing else has to stand still. What was built is taken with `switchTo`, or removed with `discard`. What a
    /// kill leaves of it is swept at the next open.
    ///
    /// - Throws: `inUse` (423) naming who else has the database open, for then it could not be switched to; `readOnly`
    ///   (403), `full` (507), `corrupt` (591).
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

    /// Switches to what was built in `staged`: the last steps of `switchGeneration`, which alone need locks. The
    /// engine's new files are complete and synced, and may be open.
    ///
    /// - Parameters: as those of `switchGeneration`.
    /// - Returns: the old generation, for the caller to delete when nothing in this process reads it any more.
    /// - Throws: as `switchGeneration`, and `conflict` (409) where another switch came between; the old generation is
    ///   the present one then, and `staged` is the caller's to discard.
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
        try Files.syncDirectory(staged.data.path)
        try linkBlobs(to: staged)
        try Files.syncDirectory(path)
        let retired = try exclusively(gate, lock, timeout: timeout) { () throws(StorageError) in
            try beforeCommit()
            // Blobs that were published since.
            try linkBlobs(to: staged)
            return try shared(as: sharing) { () throws(StorageError) in
                // Who has a key of the old manifest alone would go by that one.
                try commit(copy, nextSeal, replacing: old, needsBoth: next.keySlots != old.keySlots)
            }
        }
        staged.keep()
        return retired
    }

    /// Gives the present generation other members, as other key slots. Nobody else may have the database open. When it
    /// returns, both copies of the manifest say so; after a kill the old ones count or the new ones.
    ///
    /// - Throws: as `switchTo`; `storage` (500), `full` (507) where the disk failed between the copies: the folder is
    ///   of no more use then until it is opened again.
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

    /// The switch itself. The first rename decides; what fails before it leaves the old generation.
    ///
    /// - Parameter needsBoth: whether it is over only when both copies are on disk.
    private func commit(
        _ copy: ManifestCopy,
        _ seal: (any ManifestSealing)?,
        replacing old: Manifest,
        needsBoth: Bool
    ) throws(StorageError) -> RetiredGeneration {
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
        // The first copy is on disk and decides; one that could not be written is mended when there is space again.
        let copied: Void? = needsBoth ? () : try? files.write(copy, to: ManifestFiles.copy)
        return RetiredGeneration(folder: self, manifest: copy, parts: retired, copyIsStale: copied == nil)
    }

    /// Makes a locked folder with a number that was not used before.
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
            // The folder that is there is not ours.
            GenerationMark.remove(path, name)
        }
    }
}
