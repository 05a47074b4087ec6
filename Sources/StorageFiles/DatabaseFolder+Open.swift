package import StorageProtocol

extension DatabaseFolder {
    /// Returns the copies of the manifest with a right checksum, the highest serial first. They are read without any
    /// lock, so they may be outdated, and nothing in them is authentic. Empty if they cannot be read.
    package static func manifests(at path: String) -> [ManifestCopy] {
        guard let resolved = try? Files.resolve(path) else { return [] }
        return (try? ManifestFiles(folder: resolved).read())?.copies ?? []
    }

    /// Opens a database folder in three phases. The first one reads: it takes the existing locks and reads the
    /// manifests. The second one calls `choose` and `authorize`. Only the third one writes: it creates missing lock
    /// files, repairs the other copy of the manifest, registers this process, and sweeps what killed processes have
    /// left. If the folder is refused before that, nothing has changed.
    ///
    /// - Parameters:
    ///   - isToBeReplaced: The content is about to be replaced, whatever it is, so nothing is repaired or swept before.
    ///   - timeout: How long to wait for a switch or deletion by another process, or (if the folder cannot be written)
    ///     for its writer.
    ///   - writerPatience: How long to wait for another process that has a store open which this one must have to
    ///     itself.
    ///   - besideWriter: Whether the folder may be opened for reading while another process has the store to itself.
    ///     Then nothing in it is written, not even the name of this process.
    ///   - choose: Returns the copy of the manifest that is in effect; nil: the one with the highest serial, of plain
    ///     databases only. May be called more than once.
    ///   - authorize: Checks whether the store may be opened, and returns how processes share it. May be called more
    ///     than once.
    ///   - pendingLog: Returns what is in the engine's log. Only called for a read-only opening that cannot write.
    /// - Throws: `notFound` (404) if there is nothing at `path`, `unsupportedFormat` (591) if it is not a database or
    ///   requires a newer program, `corrupt` (591) if both manifests are damaged, `readOnly` (403) if writing, or
    ///   reading without it, is not possible, `inUse` (423), `full` (507), `fileSystem` (498); errors of the closures.
    package static func open(
        at path: String,
        readOnly: Bool = false,
        isToBeReplaced: Bool = false,
        timeout: Duration = DatabaseFolder.defaultTimeout,
        writerPatience: Duration = DatabaseFolder.defaultTimeout,
        besideWriter: Bool = false,
        choose: (Reading) throws(StorageError) -> Choice = { (found) throws(StorageError) in try found.plain() },
        authorize: (_ storageType: StorageType, _ dataDirectory: String) throws(StorageError) -> StorageSharing =
            { (_, _) throws(StorageError) in .multiProcess },
        pendingLog: (_ dataDirectory: String) throws(StorageError) -> PendingLog = { (_) throws(StorageError) in .none }
    ) throws(StorageError) -> DatabaseFolder {
        guard let resolved = try Files.resolve(path) else {
            throw StorageError(.notFound, "There is no database at '\(path)'. Check the path, or create it first.")
        }
        return try open(resolved, readOnly, timeout, choose, authorize) {
            (parts, found, sharing) throws(StorageError) in
            if readOnly {
                // The shared lock keeps switches away. Release the gate before waiting for the writer: a process that
                // switches has the writer lock and waits for the gate.
                parts.locks.gate?.release()
                if besideWriter, try prepareBesideWriter(&parts, sharing, timeout: timeout) { return }
                try prepareForReading(&parts, sharing, timeout: timeout, writerPatience, pendingLog)
            } else {
                try prepareForWriting(
                    &parts,
                    stale: isToBeReplaced ? nil : found.stale(beside: parts.manifest),
                    sharing,
                    timeout: timeout,
                    writerPatience
                )
            }
        }
    }

    /// Opens the folder for reading like `open`, but with writers kept out, so that the engine needs no files of its
    /// own: for a disk without room for those. Returns nil if the engine's log has content, which requires such files.
    package static func openWithoutWriters(
        at path: String,
        timeout: Duration = DatabaseFolder.defaultTimeout,
        choose: (Reading) throws(StorageError) -> Choice = { (found) throws(StorageError) in try found.plain() },
        authorize: (_ storageType: StorageType, _ dataDirectory: String) throws(StorageError) -> StorageSharing =
            { (_, _) throws(StorageError) in .multiProcess },
        pendingLog: (_ dataDirectory: String) throws(StorageError) -> PendingLog = { (_) throws(StorageError) in .none }
    ) throws(StorageError) -> DatabaseFolder? {
        guard let resolved = try Files.resolve(path) else { return nil }
        let folder = try open(resolved, true, timeout, choose, authorize) { (parts, _, _) throws(StorageError) in
            parts.locks.gate?.release()
            parts.locks.holder = try? OwnHolder(folder: parts.path)
            if parts.locks.holder == nil { parts.locks.anonymousMark = try anonymousMark(parts.path, timeout: timeout) }
            try keepWritersOut(parts, timeout: timeout)
            parts.access = .readOnlyImmutable
        }
        do throws(StorageError) {
            switch try pendingLog(folder.dataDirectory) {
            // The files that a reader begins to create are empty.
            case .none, .empty: return folder
            case .readable, .unreadable: folder.close()
            }
            return nil
        } catch {
            folder.close()
            throw error
        }
    }

    /// - Parameter prepare: The third phase. Called with the gate held, if there is one.
    private static func open(
        _ resolved: String,
        _ readOnly: Bool,
        _ timeout: Duration,
        _ choose: (Reading) throws(StorageError) -> Choice,
        _ authorize: (_ storageType: StorageType, _ dataDirectory: String) throws(StorageError) -> StorageSharing,
        prepare: (inout Parts, ManifestFiles.Found, StorageSharing) throws(StorageError) -> Void
    ) throws(StorageError) -> DatabaseFolder {
        // If another process deletes the folder while this one waits for its gate, the locks are those of a deleted
        // folder.
        while let identity = try requireFolder(resolved) {
            let locks: HeldLocks
            do {
                locks = try openLocks(resolved, readOnly: readOnly)
            } catch  where error.errno == SystemError.missing {
                if try Files.info(resolved) == nil { break }
                throw error
            }
            guard try locks.gate?.acquire(.shared, timeout: timeout) ?? true else {
                let holders = (try? Holders.live(resolved).compactMap(\.holder)) ?? []
                throw inUse(resolved, "is being converted, replaced or deleted by another process", holders: holders)
            }
            defer { locks.gate?.release() }
            guard try Files.info(resolved)?.identity == identity else { continue }
            guard try locks.lock?.acquire(.shared, timeout: timeout) ?? true else {
                throw inUse(resolved, "is held exclusively by another process")
            }
            let found = try ManifestFiles(folder: resolved).read()
            var parts: Parts
            let sharing: StorageSharing
            do throws(StorageError) {
                let choice = try choose(Reading(path: resolved, identity: identity, found))
                parts = Parts(
                    path: resolved,
                    identity: identity,
                    manifest: choice.copy,
                    seal: choice.seal,
                    access: .readWrite,
                    isOnReadOnlyMedium: try Files.space(at: resolved).isReadOnly,
                    locks: locks
                )
                parts.damagedManifests = found.damaged
                parts.foreignManifests = found.foreign(choice.rejected, beside: choice.copy.manifest)
                sharing = try permit(parts, readOnly: readOnly, authorize)
            } catch {
                // Without all locks another process may have switched or deleted it.
                if !locks.keepsOthersAway, try !isUnchanged(resolved, identity, found) { continue }
                throw error
            }
            if !readOnly, try makeMissingLocks(locks, resolved) { continue }
            do throws(StorageError) {
                try prepare(&parts, found, sharing)
                // A read-only engine still writes its locks and its log's index.
                if parts.access == .readOnlyShared { try requirePlainFiles(in: parts.dataDirectory, areWritten: true) }
            } catch {
                parts.locks.holder?.remove()
                throw error
            }
            return DatabaseFolder(parts)
        }
        throw StorageError(.notFound, "The database at '\(resolved)' was deleted. Create it again.")
    }

    /// Runs the second phase, which changes nothing.
    private static func permit(
        _ parts: borrowing Parts,
        readOnly: Bool,
        _ authorize: (_ storageType: StorageType, _ dataDirectory: String) throws(StorageError) -> StorageSharing
    ) throws(StorageError) -> StorageSharing {
        let manifest = parts.manifest.manifest
        if !readOnly, manifest.minWriter > Manifest.knownVersion {
            throw StorageError(
                .unsupportedFormat,
                "'\(parts.path)' asks for a program that writes version \(manifest.minWriter); this one writes "
                    + "\(Manifest.knownVersion). Use a newer version of Settee, or open it with the readOnly option."
            )
        }
        try requirePlainFiles(in: parts.dataDirectory, areWritten: !readOnly)
        return try authorize(manifest.storageType, parts.dataDirectory)
    }

    /// Whether the folder still has the content that was read.
    private static func isUnchanged(
        _ path: String,
        _ identity: FileIdentity,
        _ found: ManifestFiles.Found
    ) throws(StorageError) -> Bool {
        guard try Files.info(path)?.identity == identity else { return false }
        return try ManifestFiles(folder: path).read() == found
    }

    /// Returns the folder's identity; nil if it no longer exists.
    static func requireFolder(_ path: String) throws(StorageError) -> FileIdentity? {
        guard let info = try Files.info(path) else { return nil }
        guard info.isDirectory else {
            throw StorageError(.unsupportedFormat, "'\(path)' is not a Settee database: it is no folder.")
        }
        guard try ManifestFiles(folder: path).exist() else {
            // Throws an error that tells a damaged database from something else.
            _ = try ManifestFiles(folder: path).read()
            return info.identity
        }
        return info.identity
    }

    static let lockNames = ["gate", "lock", "writer"]

    /// Opens the existing lock files.
    private static func openLocks(_ path: String, readOnly: Bool) throws(StorageError) -> HeldLocks {
        var files: [LockFile?] = []
        for name in lockNames {
            let entry = FolderEntry(base: path, name: name)
            if let opened = try entry.openFile(readOnly ? [] : .write, isWritten: !readOnly) {
                files.append(LockFile(entry.path, opened))
            } else {
                files.append(nil)
            }
        }
        return HeldLocks(gate: files[0], lock: files[1], writer: files[2])
    }

    /// Creates the missing lock files, as in a copy that omitted empty files.
    ///
    /// - Returns: Whether any were missing. What was read before is then no longer valid.
    private static func makeMissingLocks(_ locks: HeldLocks, _ path: String) throws(StorageError) -> Bool {
        var hasMade = false
        for (name, file) in zip(lockNames, [locks.gate, locks.lock, locks.writer]) where file == nil {
            _ = try FolderEntry(base: path, name: name).openOrMakeFile(isWritten: true)
            hasMade = true
        }
        if hasMade { locks.lock?.release() }
        return hasMade
    }

    /// Engines open their files by name and follow links, so a folder may not contain links of any name, or pipes for
    /// which an engine would wait. Folders are left to the engine. Files that are not written may have additional
    /// names, because some media store equal files only once.
    static func requirePlainFiles(in directory: String, areWritten: Bool) throws(StorageError) {
        for name in try Files.names(in: directory) {
            let entry = FolderEntry(base: directory, name: name)
            if try Files.info(entry.path, follow: false)?.isDirectory == true { continue }
            _ = try entry.fileInfo(isWritten: areWritten)
        }
    }

    /// - Parameter stale: The copies of the manifest to repair; nil: nothing is repaired or swept.
    private static func prepareForWriting(
        _ parts: inout Parts,
        stale: [String]?,
        _ sharing: StorageSharing,
        timeout: Duration,
        _ writerPatience: Duration
    ) throws(StorageError) {
        parts.keepsWriter = sharing != .multiProcess
        if parts.keepsWriter { try takeWriterForGood(parts, timeout: timeout, writerPatience) }
        // An older copy that stays could bring back an old generation, so a failure must not be ignored.
        for name in stale ?? [] { try ManifestFiles(folder: parts.path).write(parts.manifest, to: name) }
        parts.locks.holder = try OwnHolder(folder: parts.path)
        if parts.keepsWriter {
            parts.locks.holder?.setFlags(HolderPage.holdsWriter)
        } else {
            parts.turns = try parts.locks.writer.map { (writer) throws(StorageError) in try WriterTurns(writer) }
        }
        // Before the engine is opened, which may need the space.
        if stale != nil { Sweep.folder(parts.path, parts.manifest) }
    }

    /// Takes the writer lock for as long as the folder is open. The gate is held before and after.
    private static func takeWriterForGood(
        _ parts: borrowing Parts,
        timeout: Duration,
        _ patience: Duration
    ) throws(StorageError) {
        guard let writer = parts.locks.writer, try !writer.attempt(.exclusive) else { return }
        // A process that switches has the writer lock and waits for the gate.
        parts.locks.gate?.release()
        try waitForWriter(writer, parts.path, patience)
        guard try parts.locks.gate?.acquire(.shared, timeout: timeout) ?? true else {
            throw inUse(parts.path, "is being converted, replaced or deleted by another process")
        }
    }

    /// - Throws: `inUse` (423) naming the process that has the store open.
    static func waitForWriter(_ writer: LockFile, _ path: String, _ patience: Duration) throws(StorageError) {
        if try writer.acquire(.exclusive, timeout: patience) { return }
        var holders = Holders.writing(path)
        // A process that has just taken it registers itself a moment later.
        var wait = Waiting(timeout: .milliseconds(100))
        while holders.isEmpty, wait.pause() { holders = Holders.writing(path) }
        throw inUse(path, "is open in another process, and its storage type allows only one", holders: holders)
    }

    /// Returns a `423` that names the holders, if they are known.
    static func inUse(_ path: String, _ what: String, holders: [Holder] = []) -> StorageError {
        let names = holders.map(\.description).joined(separator: ", ")
        return StorageError(
            .inUse,
            "'\(path)' \(what)\(names.isEmpty ? "" : ": \(names)"). Close it there, or retry later."
        )
    }
}
