/// The frames of a log one after the other, and which of them belong together.
///
/// Two things tell damage from an end that was cut off, and docs/internals/sqlite-engine.md explains why a kill leaves
/// neither: a frame in which one word has changed, if a commit is in it or continues it; and two commits in a run of
/// frames whose checksums continue each other, behind a frame that does not belong to them.
struct LogRun {
    private(set) var count = 0
    private let format: LogFormat
    /// The checksums from which the next frame may continue; none after a frame of something else.
    private var sums: [LogSum]
    private var firstBad: Int?
    /// Whether each frame so far is as it was written, or would be but for a word.
    private var isWhole = true
    /// Commits in frames that were changed, and in those that continue them.
    private var commitsOfWhole = 0
    /// Commits in the current run of frames behind the first one that does not belong to them.
    private var commitsOfRun = 0
    private var commitsOfRuns = 0

    init(_ format: LogFormat) {
        self.format = format
        sums = [format.sum]
    }

    var damage: LogScan.Damage? {
        let commits = commitsOfWhole + commitsOfRuns
        guard let firstBad, commits > 0 else { return nil }
        return .frames(first: firstBad, commits: commits)
    }

    mutating func add(_ frame: [UInt8]) {
        count += 1
        let head = LogFrameHead(frame)
        let computed = sums.map { format.sum($0, frame) }
        let isOfLog = head.salt == format.salt && head.page != 0
        let follows = isOfLog && computed.contains(head.sum)
        if isWhole {
            if follows {
                if firstBad != nil, head.isCommit { commitsOfWhole += 1 }
                sums = [head.sum]
                return
            }
            firstBad = firstBad ?? count
            if let (isCommit, next) = restored(head, computed) {
                if isCommit { commitsOfWhole += 1 }
                sums = next
                return
            }
            isWhole = false
        }
        sums = isOfLog ? [head.sum] : []
        if !follows { commitsOfRun = 0 }
        guard isOfLog, head.isCommit else { return }
        commitsOfRun += 1
        if commitsOfRun >= 2 { commitsOfRuns += commitsOfRun == 2 ? 2 : 1 }
    }

    /// Returns what a frame was before one of its words changed: whether it ended a transaction, and from which
    /// checksums the next frame may continue. Nil if that does not explain it.
    private func restored(_ head: LogFrameHead, _ computed: [LogSum]) -> (isCommit: Bool, next: [LogSum])? {
        if head.salt != format.salt {
            // The checksum does not cover the salts.
            return computed.contains(head.sum) ? (head.isCommit, [head.sum]) : nil
        }
        for sum in computed {
            guard let change = FrameChange(computed: sum, stored: head.sum, length: 8 + format.pageSize) else {
                continue
            }
            let size = change.word == 1 ? head.size &+ change.difference : head.size
            return (size != 0, [head.sum, sum])
        }
        return nil
    }
}
