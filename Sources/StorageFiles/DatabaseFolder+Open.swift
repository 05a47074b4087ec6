package import StorageProtocol

extension DatabaseFolder {
    /// What is known of a folder before anything in it is changed.
    package struct Reading {
        package let identity: FileIdentity
        /// The copies of the manifest that may count, the highest serial first; at least one.
        package let copies: [ManifestCopy]

        /// The copy that counts where none is encrypted: that of the highest serial.
        ///
        /// - Throws: `unauthorized` (401) where one is.
        package func plain() throws(StorageError) -> Choice {
            guard !copies.contains(where: \.manifest.isEncrypted) else {
                throw StorageError(.unauthorized, "The database is encrypted. Give its key.")
            }
            return Choice(copies[0])
        }
    }

    /// The manifest that counts.
    package struct Choice {
        package let copy: ManifestCopy
        /// Makes the MACs of the next ones, if the database is encrypted.
        package let seal: (any ManifestSealing)?

        package init(_ copy: ManifestCopy, seal: (any ManifestSealing)? = nil) {
            self.copy = copy
            self.seal = seal
        }
    }

    /// The copies of the manifest that may count, read without any lock: what they say may be over. None where they
    /// cannot be read.
    package static func manifests(at path: String) -> [ManifestCopy] {
        guard let resolved = try? Files.resolve(path) else { return [] }
        return (try? ManifestFiles(folder: resolved).read())?.copies ?? []
    }

    /// Opens a database folder in three phases. It reads: takes the locks that are there, and the manifests. It asks
    /// `choose` and `authorize`. Only then it writes: makes lock files that are missing, mends the other copy of the
    /// manifest, says who is there, and sweeps what killed processes have left. Whatever is refused before that has
    /// changed nothing.
    ///
    /// - Parameters:
    ///   - isToBeReplaced: another content is put in the place of what is there, whatever that is: nothing is mended or
    ///     swept before.
    ///   - timeout: how long to wait for a switch or deletion by another process, or (where the folder cannot be
    ///     written) for its writer.
    ///   - writerPatience: how long to wait for another process that has a store open which this one must have to
    ///     itself.
    ///   - choose: says which copy of the manifest counts; nil: that of the highest serial, of plain databases alone.
    ///     May be called more than once.
    ///   - authorize: looks whether the store may be opened, and says how processes share it. May be called more than
    ///     once.
    ///   - pendingLog: what is in the engine's log, asked only by a read-only opener who cannot write.
    /// - Throws: `notFound` (404) where nothing is at `path`, `unsupportedFormat` (591) for something else than a
    ///   database or one for newer programs, `corrupt` (591) where both manifests are damaged, `readOnly` (403) where
    ///   writing, or reading without it, is not possible, `inUse` (423), `full` (507), `fileSystem` (498); what the
    ///   closures throw.
    package static func open(
        at path: String,
        readOnly: Bool = false,
        isToBeReplaced: Bool = false,
        timeout: Duration = DatabaseFolder.defaultTimeout,
        writerPatience: Duration = DatabaseFolder.defaultTimeout,
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
                // The shared lock keeps switches away. Who waits for the writer must not hold the gate: one who
                // switches has the writer lock and waits for the gate.
                parts.locks.gate?.release()
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

    /// As `open` for reading, with writers kept out, so that the engine needs no files of its own: for a disk without
    /// room for those. Nil where the engine's log holds something, which takes them.
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
            // What a reader has begun to make is empty.
            case .none, .empty: return folder
            case .readable, .unreadable: folder.close()
            }
            return nil
        } catch {
            folder.close()
            throw error
        }
    }

    /// - Parameter prepare: the third phase. Has the gate, where there is one.
    private static func open(
        _ resolved: String,
        _ readOnly: Bool,
        _ timeout: Duration,
        _ choose: (Reading) throws(StorageError) -> Choice,
        _ authorize: (_ storageType: StorageType, _ dataDirectory: String) throws(StorageError) -> StorageSharing,
        prepare: (inout Parts, ManifestFiles.Found, StorageSharing) throws(StorageError) -> Void
    ) throws(StorageError) -> DatabaseFolder {
        // Whoever deletes the folder while we wait for its gate leaves us with the locks of a folder that has gone.
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
                let choice = try choose(Reading(identity: identity, copies: found.copies))
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
                sharing = try permit(parts, readOnly: readOnly, authorize)
            } catch {
                // Without all locks another process may have switched or deleted meanwhile.
                if !locks.keepsOthersAway, try !isUnchanged(resolved, identity, found) { continue }
                throw error
            }
            if !readOnly, try makeMissingLocks(locks, resolved) { continue }
            do throws(StorageError) {
                try prepare(&parts, found, sharing)
                // An engine that only reads writes its locks and its log's index.
                if parts.access == .readOnlyShared { try requirePlainFiles(in: parts.dataDirectory, areWritten: true) }
            } catch {
                parts.locks.holder?.remove()
                throw error
            }
            return DatabaseFolder(parts)
        }
        throw StorageError(.notFound, "The database at '\(resolved)' was deleted. Create it again.")
    }

    /// The second phase: nothing is changed yet.
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

    /// Whether the folder still says what was read in it.
    private static func isUnchanged(
        _ path: String,
        _ identity: FileIdentity,
        _ found: ManifestFiles.Found
    ) throws(StorageError) -> Bool {
        guard try Files.info(path)?.identity == identity else { return false }
        return try ManifestFiles(folder: path).read() == found
    }

    /// The folder's identity; nil where it has gone.
    static func requireFolder(_ path: String) throws(StorageError) -> FileIdentity? {
        guard let info = try Files.info(path) else { return nil }
        guard info.isDirectory else {
            throw StorageError(.unsupportedFormat, "'\(path)' is not a Settee database: it is no folder.")
        }
        guard try ManifestFiles(folder: path).exist() else {
            // Says whether it is a damaged database or something else.
            _ = try ManifestFiles(folder: path).read()
            return info.identity
        }
        return info.identity
    }

    static let lockNames = ["gate", "lock", "writer"]

    /// Opens the lock files that are there.
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

    /// Makes the lock files that are missing, as in a copy that left empty files out.
    ///
    /// - Returns: whether there were any: what was read before is of no account then.
    private static func makeMissingLocks(_ locks: HeldLocks, _ path: String) throws(StorageError) -> Bool {
        var hasMade = false
        for (name, file) in zip(lockNames, [locks.gate, locks.lock, locks.writer]) where file == nil {
            _ = try FolderEntry(base: path, name: name).openOrMakeFile(isWritten: true)
            hasMade = true
        }
        if hasMade { locks.lock?.release() }
        return hasMade
    }

    /// Engines open their files by name, and follow links: so there must be none, of any name, and no pipe that an
    /// engine would wait for. Folders are left to the engine. What nobody writes may have second names: some media keep
    /// equal files once.
    static func requirePlainFiles(in directory: String, areWritten: Bool) throws(StorageError) {
        for name in try Files.names(in: directory) {
            let entry = FolderEntry(base: directory, name: name)
            if try Files.info(entry.path, follow: false)?.isDirectory == true { continue }
            _ = try entry.fileInfo(isWritten: areWritten)
        }
    }

    /// - Parameter stale: the copies of the manifest to be mended; nil: nothing is mended or swept.
    private static func prepareForWriting(
        _ parts: inout Parts,
        stale: [String]?,
        _ sharing: StorageSharing,
        timeout: Duration,
        _ writerPatience: Duration
    ) throws(StorageError) {
        parts.keepsWriter = sharing != .multiProcess
        if parts.keepsWriter { try takeWriterForGood(parts, timeout: timeout, writerPatience) }
        // An older copy that stays could bring an old generation back, so this must not fail in silence.
        for name in stale ?? [] { try ManifestFiles(folder: parts.path).write(parts.manifest, to: name) }
        parts.locks.holder = try OwnHolder(folder: parts.path)
        if parts.keepsWriter {
            parts.locks.holder?.setFlags(HolderPage.holdsWriter)
        } else {
            parts.turns = try parts.locks.writer.map { (writer) throws(StorageError) in try WriterTurns(writer) }
        }
        // Before the engine, which may need the space.
        if stale != nil { Sweep.folder(parts.path, parts.manifest) }
    }

    /// Takes the writer lock for as long as the folder is open, with the gate held before and after.
    private static func takeWriterForGood(
        _ parts: borrowing Parts,
        timeout: Duration,
        _ patience: Duration
    ) throws(StorageError) {
        guard let writer = parts.locks.writer, try !writer.attempt(.exclusive) else { return }
        // One who switches has the writer lock and waits for the gate.
        parts.locks.gate?.release()
        try waitForWriter(writer, parts.path, patience)
        guard try parts.locks.gate?.acquire(.shared, timeout: timeout) ?? true else {
            throw inUse(parts.path, "is being converted, replaced or deleted by another process")
        }
    }

    /// - Throws: `inUse` (423) naming who has the store open.
    static func waitForWriter(_ writer: LockFile, _ path: String, _ patience: Duration) throws(StorageError) {
        if try writer.acquire(.exclusive, timeout: patience) { return }
        var holders = Holders.writing(path)
        // Who has just taken it says so in a moment.
        var wait = Waiting(timeout: .milliseconds(100))
        while holders.isEmpty, wait.pause() { holders = Holders.writing(path) }
        throw inUse(path, "is open in another process, and its storage type allows only one", holders: holders)
    }

    /// A `423` that names who is there, where that is known.
    static func inUse(_ path: String, _ what: String, holders: [Holder] = []) -> StorageError {
        let names = holders.map(\.description).joined(separator: ", ")
        return StorageError(
            .inUse,
            "'\(path)' \(what)\(names.isEmpty ? "" : ": \(names)"). Close it there, or retry later."
        )
    }
}
