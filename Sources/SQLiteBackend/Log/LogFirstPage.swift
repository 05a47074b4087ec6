internal import StorageProtocol

/// Reads the header of the database file as it is after the last commit in a log. SQLite recovers the log when the file
/// is opened: by then a program of this version could have written to a file of a newer one.
enum LogFirstPage {
    /// Returns nil if the commits of the log leave the file's owner and format unchanged, or equal to ours.
    ///
    /// - Complexity: One short read for each frame, and one of the whole log if a frame differs from ours.
    static func foreignHeader(in log: some LogBytes) -> [UInt8]? {
        guard let header = bytes(log, at: 0, count: LogFormat.headerLength), let format = LogFormat(header),
            mayBeForeign(log, format), let found = lastCommitted(log, format),
            // The log has not begun again in the meantime.
            bytes(log, at: 0, count: LogFormat.headerLength) == header
        else { return nil }
        return found
    }

    /// Whether any frame, committed or not, has a first page that differs from ours.
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

    /// Returns the first page's header in the last commit, as long as the checksums continue from frame to frame.
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
    /// Checks that the content of the log does not turn the file into one that is not ours. Called while the process
    /// has no connection to the file.
    ///
    /// - Throws: As `FileHeader.checkOwner`.
    static func checkFormatOfLog(at path: String) throws(StorageError) {
        guard (FileFacts.size(path + "-wal") ?? 0) > 0, let log = LogFile(path + "-wal"),
            let header = LogFirstPage.foreignHeader(in: log)
        else { return }
        try FileHeader.checkOwner(header)
    }
}
