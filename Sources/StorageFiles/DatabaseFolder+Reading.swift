internal import StorageProtocol

extension DatabaseFolder {
    /// Runs the third phase of opening for a process that only reads.
    ///
    /// | | multiProcess | oneWriterManyReaders | exclusive |
    /// |---|---|---|---|
    /// | beside writers | no lock | no lock | `writer` exclusively |
    /// | no writers | `writer` shared | `writer` shared | `writer` shared |
    static func prepareForReading(
        _ parts: inout Parts,
        _ sharing: StorageSharing,
        timeout: Duration,
        _ writerPatience: Duration,
        _ pendingLog: (_ dataDirectory: String) throws(StorageError) -> PendingLog
    ) throws(StorageError) {
        let isAlone = sharing != .multiProcess && sharing != .oneWriterManyReaders
        // A folder that may not be written, or a full disk, must not keep readers out.
        if Files.mayWrite(parts.dataDirectory) {
            if isAlone { try takeWriter(parts, writerPatience) }
            parts.locks.holder = try? OwnHolder(folder: parts.path)
            if parts.locks.holder != nil {
                if isAlone { parts.locks.holder?.setFlags(HolderPage.holdsWriter) }
                parts.access = .readOnlyShared
                return
            }
        }
        let log = try pendingLog(parts.dataDirectory)
        if case .unreadable = log {
            throw StorageError(
                .readOnly,
                "'\(parts.path)' has a log that can be read only by taking it into the database. Open it once with "
                    + "write permission, or work on a copy that can be written."
            )
        }
        if parts.locks.holder == nil { parts.locks.holder = try? OwnHolder(folder: parts.path) }
        if parts.locks.holder == nil {
            parts.locks.anonymousMark = try anonymousMark(parts.path, timeout: timeout)
        }
        switch log {
        case .readable, .empty, .unreadable:
            if isAlone { try takeWriter(parts, writerPatience) }
            parts.access = .readOnlyShared
        case .none:
            try keepWritersOut(parts, timeout: timeout)
            guard case .none = try pendingLog(parts.dataDirectory) else {
                throw inUse(parts.path, "was written to while it was being opened; open it again")
            }
            parts.access = .readOnlyImmutable
        }
    }

    /// Runs the third phase of opening for a process that reads what another one has to itself. The folder's `holders/`
    /// is locked, so that the other one deletes no contents of attachments meanwhile.
    ///
    /// - Returns: false if no other process has it, or it is shared: it is opened as always.
    static func prepareBesideWriter(
        _ parts: inout Parts,
        _ sharing: StorageSharing,
        timeout: Duration
    ) throws(StorageError) -> Bool {
        guard sharing == .exclusive, let writer = parts.locks.writer, try !writer.attempt(.shared) else {
            parts.locks.writer?.release()
            return false
        }
        parts.locks.anonymousMark = try anonymousMark(parts.path, timeout: timeout)
        parts.access = .readOnlyBesideWriter
        return true
    }

    private static func takeWriter(_ parts: borrowing Parts, _ patience: Duration) throws(StorageError) {
        guard let writer = parts.locks.writer else { return try requireReadOnlyMedium(parts) }
        try waitForWriter(writer, parts.path, patience)
    }

    /// Takes the writer lock shared: any number of immutable readers can hold it, and no writer at the same time.
    static func keepWritersOut(_ parts: borrowing Parts, timeout: Duration) throws(StorageError) {
        guard let writer = parts.locks.writer, parts.locks.gate != nil, parts.locks.lock != nil else {
            return try requireReadOnlyMedium(parts)
        }
        guard try writer.acquire(.shared, timeout: timeout) else {
            throw inUse(parts.path, "is being written to", holders: Holders.writing(parts.path))
        }
    }

    private static func requireReadOnlyMedium(_ parts: borrowing Parts) throws(StorageError) {
        guard !parts.isOnReadOnlyMedium else { return }
        throw StorageError(
            .readOnly,
            "'\(parts.path)' lacks lock files, and this user cannot make them. Open it once with write permission, "
                + "or work on a copy that can be written."
        )
    }

    static func anonymousMark(_ path: String, timeout: Duration) throws(StorageError) -> LockFile? {
        let holders = path + "/" + Holders.directoryName
        guard let opened = try Holders.entry(path).openFolder() else { return nil }
        let mark = LockFile(holders, opened)
        guard try mark.acquire(.shared, timeout: timeout) else {
            throw inUse(path, "is held exclusively by another process")
        }
        return mark
    }
}
