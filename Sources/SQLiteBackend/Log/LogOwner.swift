internal import StorageProtocol

/// Checks whether a log belongs to the file that it stands beside. SQLite does not: it moves any log with right
/// checksums into the file, at the latest when the last connection is closed.
///
/// What is checked, and what cannot be known: docs/internals/sqlite-engine.md, "A log of another file".
enum LogOwner {
    /// How far the schema versions in a log may be from the file's. Each file begins with one drawn at random, and
    /// counts from there.
    private static let schemaChanges: UInt32 = 1 << 16

    /// Checks the log at `path + "-wal"`. The process must have no connection to the file.
    ///
    /// - Throws: `corrupt` (591) if it belongs to another file. Nothing was changed.
    static func check(_ path: String, kind: SQLiteKind) throws(StorageError) {
        guard (FileFacts.size(path + "-wal") ?? 0) > 0, let log = LogFile(path + "-wal") else { return }
        // It begins again while it is read only if another process writes.
        for _ in 0..<3 {
            guard let frames = CommittedFrames(log) else { return }
            let header = try FileFacts.bytes(path, count: FileHeader.length)
            var isOwn = true
            let isRead: Bool
            if let cipher = kind.cipher {
                let isWritten = cipher.pages(ofFile: header)
                isRead = frames.forEach(in: log) { head, page in
                    isOwn = isWritten(head.page, page)
                    return isOwn
                }
            } else {
                // Beside another process the file may change while the log is read. The one that came first has checked
                // it.
                if SQLiteEngine.isLogInUse(at: path) { return }
                var pages = FirstPages(file: header)
                isRead = frames.forEach(in: log) { head, page in
                    pages.add(head, page)
                    return true
                }
                isOwn = pages.areOfFile(pageSize: frames.format.pageSize)
            }
            if !isRead { continue }
            guard !isOwn else { return }
            throw StorageError(
                .corrupt,
                "The log '\(path)-wal' belongs to another database file. It was not used, and nothing was changed. "
                    + "Put back the log that belongs to the file. If there was none, move this one elsewhere."
            )
        }
    }

    /// What the first pages in a log of a plain file show.
    private struct FirstPages {
        let file: [UInt8]
        private var first: [UInt8]?
        private var lastSize: UInt32?
        private var hasOther = false
        private var isInFile = false

        init(file: [UInt8]) { self.file = file }

        mutating func add(_ head: LogFrameHead, _ page: ArraySlice<UInt8>) {
            guard head.page == 1 else {
                if first == nil, head.isCommit { lastSize = lastSize ?? head.size }
                return
            }
            let header = Array(page.prefix(FileHeader.length))
            first = first ?? header
            if header == file { isInFile = true }
            let distance = FileHeader.schemaVersion(header) &- FileHeader.schemaVersion(file)
            if distance > schemaChanges, 0 &- distance > schemaChanges { hasOther = true }
        }

        /// A checkpoint that was interrupted has left a first page of this log in the file, or the page that was there
        /// before. A change of that page counts on from the one before by one, or by none if the same connection has
        /// written both.
        func areOfFile(pageSize: Int) -> Bool {
            guard let own = FileHeader.pageSize(file) else { return true }
            if own != pageSize || hasOther { return false }
            if isInFile { return true }
            // Without a change to the first page the number of pages stays the same.
            if let lastSize, let pages = FileHeader.pageCount(file), lastSize != pages { return false }
            guard let first else { return true }
            return FileHeader.changeCounter(first) &- FileHeader.changeCounter(file) <= 1
        }
    }
}
