internal import CSetteeSQLiteAPI

/// Searches for commits in a log that SQLite will not recover, because something before them is damaged.
///
/// SQLite recovers a log up to its last commit before the first frame whose checksum is wrong, and silently ignores the
/// rest: in most cases the rest is what a killed process had begun to write. Checksums continue from frame to frame, so
/// the rest cannot be verified, but it is possible to tell which of its frames belong together (`LogRun`). Layout:
/// https://www.sqlite.org/fileformat2.html#the_write_ahead_log
struct LogScan: Equatable {
    /// The kind of damage.
    enum Damage: Equatable {
        /// The log's own header is damaged, so that nothing of the log is recovered.
        case header
        /// The first frame that is not as it was written, counted from 1, and how many commits are known to be in it or
        /// after it.
        case frames(first: Int, commits: Int)
    }

    private(set) var damage: Damage?
    /// The header that was read. With another header it is another log.
    private var header: [UInt8] = []

    /// Scans a second time if damage is found: a log that is being written to may look damaged.
    static func damage(in log: some LogBytes) -> Damage? {
        var last = LogScan(log)
        for _ in 0..<3 {
            guard last.damage != nil else { return nil }
            let next = LogScan(log)
            if next == last { return next.damage }
            last = next
        }
        return nil
    }

    init(_ log: some LogBytes) {
        var header = [UInt8](repeating: 0, count: LogFormat.headerLength)
        guard unsafe header.withUnsafeMutableBytes({ unsafe log.read($0, at: 0) }) else { return }
        self.header = header
        guard let format = LogFormat(header) else {
            // A kill never leaves only a part of so few bytes. Without a frame nothing can be missing.
            var frame = [UInt8](repeating: 0, count: LogFrameHead.length + 512)
            let hasFrame = unsafe frame.withUnsafeMutableBytes { unsafe log.read($0, at: 32) }
            if hasFrame { damage = .header }
            return
        }
        scan(log, format)
    }

    private mutating func scan(_ log: some LogBytes, _ format: LogFormat) {
        var frame = [UInt8](repeating: 0, count: LogFrameHead.length + format.pageSize)
        let length = frame.count
        var run = LogRun(format)
        while unsafe frame.withUnsafeMutableBytes({
            unsafe log.read($0, at: UInt64(LogFormat.headerLength) + UInt64(run.count) * UInt64(length))
        }) { run.add(frame) }
        damage = run.damage
    }
}

/// The two words of a log's checksum.
struct LogSum: Equatable {
    var first: UInt32
    var second: UInt32
}

/// The content of a log's header.
struct LogFormat {
    static let headerLength = 32

    let pageSize: Int
    /// The value that the frames of this log have, but not older ones in the same file.
    let salt: UInt64
    /// The checksum of the header itself.
    let sum: LogSum
    private let isBigEndian: Bool

    /// Nil if it is not as SQLite writes it.
    init?(_ header: [UInt8]) {
        let magic = word(header, 0)
        guard magic & ~1 == 0x377F_0682, word(header, 4) == 3_007_000 else { return nil }
        let size = word(header, 8)
        guard size >= 512, size <= 65_536, size & (size - 1) == 0 else { return nil }
        pageSize = Int(size)
        salt = UInt64(word(header, 16)) << 32 | UInt64(word(header, 20))
        isBigEndian = magic & 1 == 1
        sum = LogSum(first: word(header, 24), second: word(header, 28))
        guard LogFormat.sum(LogSum(first: 0, second: 0), header[..<24], isBigEndian) == sum else { return nil }
    }

    /// Returns the checksum of a frame that follows one with `sum`.
    func sum(_ sum: LogSum, _ frame: [UInt8]) -> LogSum {
        LogFormat.sum(LogFormat.sum(sum, frame[..<8], isBigEndian), frame[24...], isBigEndian)
    }

    private static func sum(_ sum: LogSum, _ bytes: ArraySlice<UInt8>, _ isBigEndian: Bool) -> LogSum {
        var sums = [sum.first, sum.second]
        unsafe bytes.withUnsafeBytes { bytes in
            unsafe sums.withUnsafeMutableBufferPointer { sums in
                guard let start = bytes.baseAddress, let target = sums.baseAddress else { return }
                unsafe sqlite_log_checksum(start, bytes.count, isBigEndian, target)
            }
        }
        return LogSum(first: sums[0], second: sums[1])
    }
}

/// The first 24 bytes of a frame.
struct LogFrameHead {
    static let length = 24

    let page: UInt32
    /// The number of pages of the file after the commit; 0 if it is not the last frame of a transaction.
    let size: UInt32
    /// Whether it is the last one of a transaction.
    var isCommit: Bool { size != 0 }
    let salt: UInt64
    let sum: LogSum

    init(_ frame: [UInt8]) {
        page = word(frame, 0)
        size = word(frame, 4)
        salt = UInt64(word(frame, 8)) << 32 | UInt64(word(frame, 12))
        sum = LogSum(first: word(frame, 16), second: word(frame, 20))
    }
}

private func word(_ bytes: [UInt8], _ offset: Int) -> UInt32 {
    bytes[offset..<offset + 4].reduce(0) { $0 << 8 | UInt32($1) }
}
