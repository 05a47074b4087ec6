internal import StorageProtocol

/// The header of the database file as the last commit of a log leaves it. SQLite takes the log in when the file is
/// opened: by then a program of this version may have written to a file of a newer one.
enum LogFirstPage {
    /// Nil where the commits of the log leave the file's owner and format as ours are, or do not touch them.
    ///
    /// - Complexity: one short read for each frame, and one of the whole log where a frame differs from ours.
    static func foreignHeader(in log: some LogBytes) -> [UInt8]? {
        guard let header = bytes(log, at: 0, count: LogFormat.headerLength), let format = LogFormat(header),
            mayBeForeign(log, format), let found = lastCommitted(log, format),
            // Nobody has begun the log anew meanwhile.
            bytes(log, at: 0, count: LogFormat.headerLength) == header
        else { return nil }
        return found
    }

    /// Whether some frame, committed or not, has a first page that is not as ours.
    private static func mayBeForeign(_ log: some LogBytes, _ format: LogFormat) -> Bool {
        var place = UInt64(LogFormat.headerLength)
        while let start = bytes(log, at: place, count: LogFrameHead.length) {
            let head = LogFrameHead(start)
            if head.salt != format.salt { return false }
            if head.page == 1, let page = bytes(log, at: place + UInt64(LogFrameHead.length), count: FileHeader.length),
                !FileHeader.isOurs(page)
            {
                return true
            }
            place += UInt64(LogFrameHead.length + format.pageSize)
        }
        return false
    }

    /// The first page's header in the last commit, as far as the checksums go on from frame to frame.
    private static func lastCommitted(_ log: some LogBytes, _ format: LogFormat) -> [UInt8]? {
        var (sum, place) = (format.sum, UInt64(LogFormat.headerLength))
        var written: [UInt8]?
        var committed: [UInt8]?
        let length = LogFrameHead.length + format.pageSize
        while let frame = bytes(log, at: place, count: length) {
            let head = LogFrameHead(frame)
            guard head.salt == format.salt, head.page != 0, format.sum(sum, frame) == head.sum else { break }
            sum = head.sum
            if head.page == 1 { written = Array(frame[LogFrameHead.length...].prefix(FileHeader.length)) }
            if head.isCommit { committed = written }
            place += UInt64(length)
        }
        return committed
    }

    private static func bytes(_ log: some LogBytes, at offset: UInt64, count: Int) -> [UInt8]? {
        var bytes = [UInt8](repeating: 0, count: count)
        let isThere = unsafe bytes.withUnsafeMutableBytes { unsafe log.read($0, at: offset) }
        return isThere ? bytes : nil
    }
}

extension SQLiteEngine {
    /// Looks whether what the log holds makes the file another one than ours. Called while the process has no
    /// connection to the file.
    ///
    /// - Throws: as `FileHeader.checkOwner`.
    static func checkFormatOfLog(at path: String) throws(StorageError) {
        guard (FileFacts.size(path + "-wal") ?? 0) > 0, let log = LogFile(path + "-wal"),
            let header = LogFirstPage.foreignHeader(in: log)
        else { return }
        try FileHeader.checkOwner(header)
    }
}
