package import StorageProtocol

extension DatabaseFolder {
    /// What a read-only opener finds of an engine's log, where it cannot write.
    package enum PendingLog: Sendable {
        /// All is in the data file.
        case none
        /// There is a log, and an engine can read through it without writing.
        case readable
        /// There is a log that only a program with write permission can take in.
        case unreadable
    }

    /// Opens a database folder: takes the locks, reads the manifest (the highest valid serial whose generation exists
    /// wins) and decides how the engine's files may be opened. Unless `readOnly`, it also mends the other copy and then
    /// sweeps what killed processes have left.
    ///
    /// - Parameters:
    ///   - timeout: how long to wait for a switch or deletion by another process, or (where the folder cannot be written)
    ///     for its writer.
    ///   - pendingLog: what is in the engine's log, asked only by a read-only opener who cannot write.
    /// - Throws: `notFound` (404) where nothing is at `path`, `unsupportedFormat` (591) for something else than a database
    ///   or one for newer programs, `corrupt` (591) where both manifests are damaged, `readOnly` (403) where writing, or
    ///   reading without it, is not possible, `inUse` (423), `full` (507), `fileSystem` (498).
    package static func open(
        at path: String,
        readOnly: Bool = false,
        timeout: Duration = DatabaseFolder.defaultTimeout,
        pendingLog: (_ dataDirectory: String) throws(StorageError) -> PendingLog = DatabaseFolder.writeAheadLog
    ) throws(StorageError) -> DatabaseFolder {
        guard let resolved = try Files.resolve(path) else {
            throw StorageError(.notFound, "There is no database at '\(path)'. Check the path, or create it first.")
        }
        return try open(resolved, readOnly, timeout) { (parts) throws(StorageError) in
            try prepareForReading(&parts, timeout: timeout, pendingLog)
        }
    }

    /// As `open` for reading, with writers kept out, so that the engine needs no files of its own: for a disk without room for
    /// those. Nil where the engine's log holds something, which takes them.
    package static func openWithoutWriters(
        at path: String,
        timeout: Duration = DatabaseFolder.defaultTimeout
    ) throws(StorageError) -> DatabaseFolder? {
        guard let resolved = try Files.resolve(path) else { return nil }
        let folder = try open(resolved, true, timeout) { (parts) throws(StorageError) in
            parts.locks.holder = try? OwnHolder(folder: parts.path)
            if parts.locks.holder == nil { parts.locks.anonymousMark = try anonymousMark(parts.path, timeout: timeout) }
            try keepWritersOut(parts, timeout: timeout)
            parts.access = .readOnlyImmutable
        }
        // What a reader has begun to make is empty.
        guard try hasLog(folder.dataDirectory) else { return folder }
        folder.close()
        return nil
    }

    private static func open(
        _ resolved: String,
        _ readOnly: Bool,
        _ timeout: Duration,
        prepareForReading: (inout Parts) throws(StorageError) -> Void
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
                throw inUse(resolved, "is being replaced or deleted by another process")
            }
            defer { locks.gate?.release() }
            guard try Files.info(resolved)?.identity == identity else { continue }
            guard try locks.lock?.acquire(.shared, timeout: timeout) ?? true else {
                throw inUse(resolved, "is held exclusively by another process")
            }
            let found = try ManifestFiles(folder: resolved).read()
            var parts = Parts(
                path: resolved,
                identity: identity,
                manifest: found.manifest,
                access: .readWrite,
                isOnReadOnlyMedium: try Files.space(at: resolved).isReadOnly,
                locks: locks
            )
            try requirePlainFiles(parts, areWritten: !readOnly)
            do throws(StorageError) {
                if readOnly {
                    // The shared lock keeps switches away. Who waits for the writer must not hold the gate: one who switches
                    // has the writer lock and waits for the gate.
                    locks.gate?.release()
                    try prepareForReading(&parts)
                    // An engine that only reads writes its locks and its log's index.
                    if parts.access == .readOnlyShared { try requirePlainFiles(parts, areWritten: true) }
                } else {
                    try prepareForWriting(&parts, found)
                }
            } catch {
                parts.locks.holder?.remove()
                throw error
            }
            return DatabaseFolder(parts)
        }
        throw StorageError(.notFound, "The database at '\(resolved)' was deleted. Create it again.")
    }

    /// What SQLite's write-ahead log looks like from outside: `…-wal`, readable as long as its index `…-shm` is there.
    package static func writeAheadLog(_ dataDirectory: String) throws(StorageError) -> PendingLog {
        for name in try Files.names(in: dataDirectory) where name.hasSuffix("-wal") {
            let log = dataDirectory + "/" + name
            if try Files.info(String(log.dropLast(4)) + "-shm", follow: false) != nil { return .readable }
            if let info = try Files.info(log, follow: false), info.size > 0 { return .unreadable }
        }
        return .none
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

    static func openLocks(_ path: String, readOnly: Bool) throws(StorageError) -> HeldLocks {
        var files: [LockFile?] = []
        for name in lockNames {
            let entry = FolderEntry(base: path, name: name)
            if readOnly {
                if let opened = try entry.openFile() {
                    files.append(LockFile(entry.path, opened))
                } else {
                    files.append(nil)
                }
                continue
            }
            if try entry.fileInfo() == nil {
                // Nothing is made in a folder of something else.
                _ = try ManifestFiles(folder: path).read()
            }
            files.append(LockFile(entry.path, try entry.openOrMakeFile(isWritten: true)))
        }
        return HeldLocks(gate: files[0], lock: files[1], writer: files[2])
    }

    /// Engines open their files by name, and follow links: so there must be none, of any name, and no pipe that an engine would
    /// wait for. Folders are left to the engine. What nobody writes may have second names: some media keep equal files once.
    private static func requirePlainFiles(_ parts: Parts, areWritten: Bool) throws(StorageError) {
        let data = parts.manifest.dataName
        for name in try Files.names(in: parts.path + "/" + data) {
            let entry = FolderEntry(base: parts.path + "/" + data, name: name)
            if try Files.info(entry.path, follow: false)?.isDirectory == true { continue }
            _ = try entry.fileInfo(isWritten: areWritten)
        }
    }

    private static func prepareForWriting(
        _ parts: inout Parts,
        _ found: ManifestFiles.Found
    ) throws(StorageError) {
        guard found.manifest.minWriter <= Manifest.formatVersion else {
            throw StorageError(
                .unsupportedFormat,
                "'\(parts.path)' asks for a program that writes version \(found.manifest.minWriter); this one writes "
                    + "\(Manifest.formatVersion). Use a newer version of Settee, or open it with the readOnly option."
            )
        }
        // An older copy that stays could bring an old generation back, so this must not fail in silence.
        for name in found.stale { try ManifestFiles(folder: parts.path).write(found.manifest, to: name) }
        parts.locks.holder = try OwnHolder(folder: parts.path)
        parts.turns = try parts.locks.writer.map { (writer) throws(StorageError) in try WriterTurns(writer) }
        Sweep.folder(parts.path, found.manifest)
    }

    private static func prepareForReading(
        _ parts: inout Parts,
        timeout: Duration,
        _ pendingLog: (_ dataDirectory: String) throws(StorageError) -> PendingLog
    ) throws(StorageError) {
        let data = parts.path + "/" + parts.manifest.dataName
        // A folder that may not be written, or a full disk, must not keep readers out.
        parts.locks.holder = try? OwnHolder(folder: parts.path)
        if parts.locks.holder != nil, Files.mayWrite(data) {
            parts.access = .readOnlyShared
            return
        }
        if parts.locks.holder == nil {
            parts.locks.anonymousMark = try anonymousMark(parts.path, timeout: timeout)
        }
        switch try pendingLog(data) {
        case .readable:
            parts.access = .readOnlyShared
        case .unreadable:
            throw StorageError(
                .readOnly,
                "'\(parts.path)' has a log that can be read only by taking it into the database. Open it once with "
                    + "write permission, or work on a copy that can be written."
            )
        case .none:
            try keepWritersOut(parts, timeout: timeout)
            guard case .none = try pendingLog(data) else {
                throw inUse(parts.path, "was written to while it was being opened; open it again")
            }
            parts.access = .readOnlyImmutable
        }
    }

    /// Whether there is a log that holds anything.
    private static func hasLog(_ dataDirectory: String) throws(StorageError) -> Bool {
        for name in try Files.names(in: dataDirectory) where name.hasSuffix("-wal") {
            if let info = try Files.info(dataDirectory + "/" + name, follow: false), info.size > 0 { return true }
        }
        return false
    }

    /// Takes the writer lock shared: any number of immutable readers have it, and no writer meanwhile.
    private static func keepWritersOut(_ parts: borrowing Parts, timeout: Duration) throws(StorageError) {
        guard let writer = parts.locks.writer, parts.locks.gate != nil, parts.locks.lock != nil else {
            if parts.isOnReadOnlyMedium { return }
            throw StorageError(
                .readOnly,
                "'\(parts.path)' lacks lock files, and this user cannot make them. Open it once with write permission, "
                    + "or work on a copy that can be written."
            )
        }
        guard try writer.acquire(.shared, timeout: timeout) else {
            throw inUse(parts.path, "is being written to", holders: Holders.writing(parts.path))
        }
    }

    private static func anonymousMark(_ path: String, timeout: Duration) throws(StorageError) -> LockFile? {
        let holders = path + "/" + Holders.directoryName
        guard let opened = try Holders.entry(path).openFolder() else { return nil }
        let mark = LockFile(holders, opened)
        guard try mark.acquire(.shared, timeout: timeout) else {
            throw inUse(path, "is held exclusively by another process")
        }
        return mark
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
