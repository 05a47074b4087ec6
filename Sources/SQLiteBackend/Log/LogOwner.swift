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
    /// - Throws: `corrupt` (591) if it belongs to another file, or to an earlier state of this one. Nothing was changed
    ///   then.
    static func check(_ path: String, kind: SQLiteKind) throws(StorageError) {
        guard (FileFacts.size(path + "-wal") ?? 0) > 0, let log = LogFile(path + "-wal") else { return }
        // It begins again while it is read only if another process writes.
        for _ in 0..<3 {
            guard let frames = CommittedFrames(log) else { return }
            // Beside another process the file may change while the log is read. The one that came first has checked it.
            let isInUse = SQLiteEngine.isLogInUse(at: path)
            if kind.cipher == nil, isInUse { return }
            let first = try FileFacts.bytes(
                path,
                count: kind.cipher == nil ? FileHeader.length : frames.format.pageSize
            )
            let content = kind.cipher?.pages(ofFile: first) ?? { _, page in page }
            var pages = FirstPages(
                file: content(1, first[...]).map { Array($0.prefix(FileHeader.length)) },
                stored: Array(first.prefix(FileHeader.length))
            )
            var counters = LoggedCounters()
            var isSealed = true
            let isRead = frames.forEach(in: log) { head, page in
                guard let page = content(head.page, page) else {
                    isSealed = false
                    return false
                }
                pages.add(head, page)
                counters.add(head, page)
                return true
            }
            if !isRead { continue }
            if isSealed {
                if isInUse { return }
                let isEarlier = FileCounters(path, kind: kind).map { counters.areBefore($0) } ?? false
                guard !pages.areOfFile(pageSize: frames.format.pageSize) || isEarlier else { return }
            }
            // A process that came in the meantime has checked the log, and may have moved it into the file.
            if SQLiteEngine.isLogInUse(at: path) && isSealed { return }
            guard let now = LogFile(path + "-wal").flatMap({ CommittedFrames($0) }), now.areSame(as: frames) else {
                continue
            }
            throw StorageError(
                .corrupt,
                "The log '\(path)-wal' belongs to another database file, or to an earlier state of this one. It was not "
                    + "used, and nothing was changed. Put back the log that belongs to the file. If there was none, "
                    + "move this one elsewhere."
            )
        }
    }

    /// What the first pages in a log show, and the numbers of pages that its commits leave.
    private struct FirstPages {
        /// The header of the file; nil if power loss has left only a part of an encrypted one's page.
        let file: [UInt8]?
        /// The same bytes as they are in the file, encrypted or not.
        let stored: [UInt8]
        private var first: [UInt8]?
        /// The number of pages before the first change of the first page, and after the last commit.
        private var sizeBefore: UInt32?
        private var size: UInt32?
        private var hasOther = false
        private var isInFile = false
        /// The first page in the commit that is being read.
        private var current: [UInt8]?

        init(file: [UInt8]?, stored: [UInt8]) { (self.file, self.stored) = (file, stored) }

        mutating func add(_ head: LogFrameHead, _ page: ArraySlice<UInt8>) {
            if head.page == 1 { add(Array(page.prefix(FileHeader.length))) }
            guard head.isCommit else { return }
            if let current {
                if let pages = FileHeader.pageCount(current), pages != head.size { hasOther = true }
            } else {
                // Without a change to the first page the number of pages stays the same.
                if let size, size != head.size { hasOther = true }
                if first == nil { sizeBefore = head.size }
            }
            (current, size) = (nil, head.size)
        }

        private mutating func add(_ header: [UInt8]) {
            current = header
            first = first ?? header
            guard let file else { return }
            if header == file { isInFile = true }
            let distance = FileHeader.schemaVersion(header) &- FileHeader.schemaVersion(file)
            if distance > schemaChanges, 0 &- distance > schemaChanges { hasOther = true }
        }

        /// A checkpoint that was interrupted has left a first page of this log in the file, or the page that was there
        /// before. A change of that page counts on from the one before by one, or by none if the same connection has
        /// written both. SQLCipher counts on from the encrypted bytes of the one before.
        func areOfFile(pageSize: Int) -> Bool {
            if hasOther { return false }
            guard let file, let own = FileHeader.pageSize(file) else { return true }
            if own != pageSize { return false }
            if isInFile { return true }
            if let sizeBefore, let pages = FileHeader.pageCount(file), sizeBefore != pages { return false }
            guard let first else { return true }
            let counter = FileHeader.changeCounter(first)
            return counter &- FileHeader.changeCounter(file) <= 1 || counter &- FileHeader.changeCounter(stored) == 1
        }
    }
}
