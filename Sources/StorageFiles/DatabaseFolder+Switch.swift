package import StorageProtocol
internal import Synchronization

extension DatabaseFolder {
    /// What becomes of the blobs at a switch.
    package enum BlobChange: Sendable {
        /// The present blob generation stays.
        case keep
        /// A new blob generation with links to (or, where the file system cannot link, copies of) the same files.
        case link
    }

    /// Builds the next generation beside the present one and switches to it. After a kill at any instant the old or the
    /// new database is there, whole. docs/generation-switch.md has every step.
    ///
    /// All steps run on the calling thread. Other processes must not have the folder open: that is looked at before
    /// building, and decided after.
    ///
    /// - Parameters:
    ///   - storageType: what the new generation is; nil: as the present one.
    ///   - timeout: how long to wait for processes that are just opening the folder.
    ///   - build: writes the engine's new files into the empty folder that it is given, and syncs them. The engine may
    ///     stay open there.
    ///   - verify: looks at what was built.
    ///   - beforeCommit: called when nobody else has the database open and nobody can open it: the caller makes sure that
    ///     the change counter is the last one it has copied, and throws if not.
    /// - Returns: the old generation, for the caller to delete when nothing in this process reads it any more.
    /// - Throws: `inUse` (423) naming who has it open, `readOnly` (403), `full` (507), and what the closures throw; the old
    ///   generation is the present one then, and the new one is gone.
    package func switchGeneration(
        blobs: BlobChange = .keep,
        storageType: StorageType? = nil,
        timeout: Duration = DatabaseFolder.defaultTimeout,
        build: (_ newDataDirectory: String) throws(StorageError) -> Void,
        verify: (_ newDataDirectory: String) throws(StorageError) -> Void = { (_: String) throws(StorageError) in },
        beforeCommit: () throws(StorageError) -> Void = { () throws(StorageError) in }
    ) throws(StorageError) -> RetiredGeneration {
        let refusal: StorageError? = state.withLock { $0.isClosed ? DatabaseFolder.closed : $0.failure }
        if let refusal { throw refusal }
        guard access == .readWrite, let gate, let lock else { throw .readOnly }
        guard try isAlone() else { throw inUseByOthers() }

        let old = manifest
        guard old.serial < .max else {
            throw StorageError.corrupt("The manifest of '\(path)' has an impossible serial number")
        }
        var next = old
        next.serial += 1
        next.storageType = storageType ?? old.storageType
        let newData = try makeGeneration(.data)
        next.dataGeneration = newData.number
        var newBlobs: NewGeneration?
        do {
            if blobs == .link {
                let made = try makeGeneration(.blobs)
                newBlobs = made
                next.blobGeneration = made.number
            }
            try build(newData.path)
            try verify(newData.path)
            try Files.syncDirectory(newData.path)
            if let newBlobs { try BlobLinks.bring(newBlobs.path, upTo: path + "/" + old.blobName) }
            try Files.syncDirectory(path)
            return try exclusively(gate, lock, timeout: timeout) { () throws(StorageError) in
                try beforeCommit()
                // Blobs that were published since.
                if let newBlobs { try BlobLinks.bring(newBlobs.path, upTo: path + "/" + old.blobName) }
                return try commit(next, replacing: old)
            }
        } catch {
            // After an uncertain commit both generations stay, for the next open to decide.
            if state.withLock({ $0.failure == nil }) {
                for made in [newData, newBlobs].compactMap({ $0 }) {
                    _ = try? Sweep.removeLocked(path, made.name, made.lock)
                }
            }
            throw error
        }
    }

    /// Runs `body` with `gate` and `lock` held exclusively, and leaves with `lock` held shared as before.
    private func exclusively<R>(
        _ gate: LockFile,
        _ lock: LockFile,
        timeout: Duration,
        _ body: () throws(StorageError) -> R
    ) throws(StorageError) -> R {
        guard try gate.acquire(.exclusive, timeout: timeout) else { throw inUseByOthers() }
        defer { gate.release() }
        let others: StorageError?
        do {
            others = try lock.attempt(.exclusive) ? nil : inUseByOthers()
        } catch {
            others = error
        }
        // A failed try has lost the shared lock. Nobody else can take it exclusively while the gate is ours.
        if let others {
            try retake(lock)
            throw others
        }
        let result: Result<R, StorageError>
        do {
            result = .success(try body())
        } catch {
            result = .failure(error)
        }
        try retake(lock)
        return try result.get()
    }

    private func retake(_ lock: LockFile) throws(StorageError) {
        let lost: StorageError
        do {
            if try lock.attempt(.shared) { return }
            lost = DatabaseFolder.inUse(path, "was locked by another program against its rules")
        } catch {
            lost = error
        }
        state.withLock { $0.failure = lost }
        throw lost
    }

    /// The switch itself. The first rename decides; what fails before it leaves the old generation.
    private func commit(_ next: Manifest, replacing old: Manifest) throws(StorageError) -> RetiredGeneration {
        var retired: [RetiredGeneration.Folder] = []
        for (name, present) in [(old.dataName, next.dataName), (old.blobName, next.blobName)] where name != present {
            guard let lock = try Staging.lock(path + "/" + name, isDirectory: true) else {
                throw DatabaseFolder.inUse(path, "is locked by another program")
            }
            retired.append(RetiredGeneration.Folder(name: name, lock: lock))
        }
        let files = ManifestFiles(folder: path)
        var isVisible = false
        do {
            try files.write(next, to: ManifestFiles.first) { isVisible = true }
        } catch {
            if isVisible {
                let failure = StorageError(
                    .storage,
                    "The disk failed while '\(path)' was being switched to its next generation. Close the database and "
                        + "open it again: it is whole.",
                    cause: error
                )
                state.withLock { $0.failure = failure }
                throw failure
            }
            throw error
        }
        state.withLock { $0.manifest = next }
        // The first copy is on disk and decides; one that could not be written is mended when there is space again.
        let copied: Void? = try? files.write(next, to: ManifestFiles.copy)
        return RetiredGeneration(folder: self, manifest: next, parts: retired, copyIsStale: copied == nil)
    }

    struct NewGeneration {
        var name: String
        var number: UInt64
        var path: String
        var lock: LockFile
    }

    /// Makes a locked folder with a number that was not used before.
    private func makeGeneration(_ kind: GenerationKind) throws(StorageError) -> NewGeneration {
        let used = try Files.names(in: path).compactMap { Manifest.generation(named: $0) }.filter { $0.kind == kind }
        var number = used.map(\.number).max() ?? 0
        guard number < UInt64.max - 1_000_000 else {
            throw StorageError.corrupt("'\(path)' has a generation folder of an impossible number")
        }
        let (name, lock) = try Staging.makeDirectory(in: path) {
            number += 1
            return Manifest.generationName(kind, number)
        }
        return NewGeneration(name: name, number: number, path: path + "/" + name, lock: lock)
    }
}
