/// Checks whether a log has commits that SQLite does not recover.
package enum LogDamage {
    /// Returns what is wrong with the log at a path, to which there must be no connection. Nil if nothing is wrong, or
    /// there is no log.
    ///
    /// It is more suspicious than `LogScan`: even a single commit after a damaged frame counts, although a power loss
    /// may leave one too. When a log is read for the last time, such a report does no harm.
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

    /// Returns the number, from 1, of the first frame that is not as it was written, if it or a later one ends a
    /// transaction of this log.
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
