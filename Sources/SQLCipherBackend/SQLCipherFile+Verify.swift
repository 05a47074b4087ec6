internal import SetteeSQLite
internal import StorageProtocol

extension SQLCipherFile {
    /// Checks the code of every page: first the pages of the file, with the connection's own descriptor, and then those
    /// of the log. A page that is not as it was written counts as sound if the log has a later version of it: power
    /// loss may have interrupted a checkpoint while it was being written.
    func verify(
        _ connection: Connection,
        hasLog: Bool,
        progress: (_ done: UInt64, _ of: UInt64) throws(StorageError) -> Void,
        _ report: (StorageProblem) -> Void
    ) throws(StorageError) {
        let size = UInt64(PageSeal.pageSize)
        let used = UInt64(clamping: try connection.number("PRAGMA page_count"))
        let pages = PageWalk(length: connection.fileLength ?? 0, used: used) { number in
            connection.bytesOfFile(PageSeal.pageSize, at: UInt64(number - 1) * size)
        }
        guard let seal = pages.seal(key) else {
            report(StorageProblem(area: "pages", message: "The first page of the database file cannot be read."))
            return
        }
        var damaged = try pages.damaged(seal) { (done) throws(StorageError) in
            try progress(done * size, pages.count * size)
        }
        var frames: [UInt32] = []
        if hasLog {
            try connection.withSnapshot { () throws(StorageError) in
                let log = LogWalk(frames: connection.committedFrames) { connection.bytesOfLog($0, at: $1) }
                frames = log.damaged(seal) { damaged.remove($0) }
            }
        }
        // What a checkpoint was writing has been written by now.
        let left = damaged.sorted().filter { !pages.isWhole($0, seal) }
        for number in left.prefix(PageWalk.mostProblems) {
            report(StorageProblem(area: "pages", message: "Page \(number) is not as it was written."))
        }
        for frame in frames.prefix(PageWalk.mostProblems) {
            report(
                StorageProblem(area: "log", message: "The page in frame \(frame) of the log is not as it was written.")
            )
        }
        try progress(pages.count * size, pages.count * size)
    }
}
