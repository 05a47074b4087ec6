/// The frames of a log that SQLite recovers: those up to the last commit, as long as the checksums continue from frame
/// to frame.
struct CommittedFrames {
    let format: LogFormat
    let count: Int
    private let header: [UInt8]

    /// Nil if SQLite recovers nothing of this log.
    ///
    /// - Complexity: Reads the log once.
    init?(_ log: some LogBytes) {
        guard let header = CommittedFrames.bytes(log, at: 0, count: LogFormat.headerLength),
            let format = LogFormat(header)
        else { return nil }
        (self.header, self.format) = (header, format)
        var (sum, number, committed) = (format.sum, 0, 0)
        while let frame = CommittedFrames.frame(number, in: log, format) {
            let head = LogFrameHead(frame)
            guard head.salt == format.salt, head.page != 0, format.sum(sum, frame) == head.sum else { break }
            sum = head.sum
            number += 1
            if head.isCommit { committed = number }
        }
        guard committed > 0 else { return nil }
        count = committed
    }

    /// Calls `body` with each frame in order until it returns false.
    ///
    /// - Returns: False if the log has begun again in the meantime, so that the frames may belong to another one.
    func forEach(in log: some LogBytes, _ body: (_ head: LogFrameHead, _ page: ArraySlice<UInt8>) -> Bool) -> Bool {
        for number in 0..<count {
            guard let frame = CommittedFrames.frame(number, in: log, format) else { return false }
            if !body(LogFrameHead(frame), frame[LogFrameHead.length...]) { break }
        }
        return CommittedFrames.bytes(log, at: 0, count: LogFormat.headerLength) == header
    }

    /// Whether it is the same log with no commit more.
    func areSame(as other: CommittedFrames) -> Bool { header == other.header && count == other.count }

    private static func frame(_ number: Int, in log: some LogBytes, _ format: LogFormat) -> [UInt8]? {
        let length = LogFrameHead.length + format.pageSize
        return bytes(log, at: UInt64(LogFormat.headerLength) + UInt64(number) * UInt64(length), count: length)
    }

    private static func bytes(_ log: some LogBytes, at offset: UInt64, count: Int) -> [UInt8]? {
        var bytes = [UInt8](repeating: 0, count: count)
        let isThere = unsafe bytes.withUnsafeMutableBytes { unsafe log.read($0, at: offset) }
        return isThere ? bytes : nil
    }
}
