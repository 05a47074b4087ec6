/// Looks whether a log has commits that SQLite does not take in.
package enum LogDamage {
    /// What is wrong with the log at a path, of which nobody has a connection; nil where nothing is, or where there is
    /// none.
    ///
    /// It is more suspicious than `LogScan`: a single commit behind a damaged frame counts, which a loss of power may
    /// leave, too. Who reads a log for the last time has nothing to lose by being told.
    package static func text(at path: String) -> String? {
        guard let log = LogFile(path) else { return nil }
        switch LogScan.damage(in: log) {
        case .header: return "its header is damaged, and nothing of it can be used"
        case .frames(let first, let commits):
            return "frame \(first) is damaged, and at least \(commits) commits after it are lost"
        case nil:
            guard let first = frameBeforeLostCommit(log) else { return nil }
            return "frame \(first) is damaged, and at least a commit with it is lost"
        }
    }

    /// The first frame that is not as it was written, counted from 1, where it or one after it ends a transaction of
    /// this log.
    private static func frameBeforeLostCommit(_ log: LogFile) -> Int? {
        var header = [UInt8](repeating: 0, count: LogFormat.headerLength)
        guard unsafe header.withUnsafeMutableBytes({ unsafe log.read($0, at: 0) }), let format = LogFormat(header)
        else {
            return nil
        }
        var frame = [UInt8](repeating: 0, count: LogFrameHead.length + format.pageSize)
        let length = UInt64(frame.count)
        var sum = format.sum
        var first: Int?
        var number = 0
        while unsafe frame.withUnsafeMutableBytes({
            unsafe log.read($0, at: UInt64(LogFormat.headerLength) + UInt64(number) * length)
        }) {
            number += 1
            let head = LogFrameHead(frame)
            let isOfLog = head.salt == format.salt && head.page != 0
            if first == nil, isOfLog, format.sum(sum, frame) == head.sum {
                sum = head.sum
                continue
            }
            first = first ?? number
            if isOfLog, head.isCommit { return first }
        }
        return nil
    }
}
