internal import CSetteeSQLiteAPI

/// The last sequence and the counters that the commits of a log have written, read from the pages in its frames.
///
/// A commit that takes a sequence writes the page of the index or of `purges` in which the new highest sequence is; any
/// other commit raises `counters.extra`. Pages are recognised by the columns of their records, which no other table or
/// index shares. Layout: https://www.sqlite.org/fileformat2.html#b_tree_pages
struct LoggedCounters {
    /// The highest sequence in any page.
    private var sequence: Int64 = 0
    /// Whether some commit certainly took a sequence, so that `sequence` is the last one.
    private var hasLastSequence = false
    /// The last row of `counters`.
    private var counters: (floor: Int64, extra: Int64)?
    /// What the commit that is being read has so far.
    private var (hasSequences, hasCounters) = (false, false)

    mutating func add(_ head: LogFrameHead, _ page: ArraySlice<UInt8>) {
        switch TreeLeaf(page, isFirst: head.page == 1)?.content {
        case .sequence(let found):
            sequence = max(sequence, found)
            hasSequences = true
        case .counters(let floor, let extra):
            sequence = max(sequence, floor)
            counters = (floor, extra)
            hasCounters = true
        case nil: break
        }
        guard head.isCommit else { return }
        if hasSequences, !hasCounters { hasLastSequence = true }
        (hasSequences, hasCounters) = (false, false)
    }

    /// Whether a file with these counters is later than the log's last commit.
    func areBefore(_ file: FileCounters) -> Bool {
        if hasLastSequence, file.lastSequence > sequence { return true }
        guard let counters else { return false }
        return file.floor == counters.floor && file.extra > counters.extra
    }
}

/// The counters of a file without its log.
struct FileCounters {
    let lastSequence: Int64
    /// `counters.sequence` and `counters.extra`.
    let floor: Int64
    let extra: Int64

    /// Nil if they cannot be read: an interrupted checkpoint leaves a file that is only whole with its log.
    ///
    /// In such a file a parent from before the log may name a page that belongs to another tree by now. Then the last
    /// row has values of other types, and does not count.
    init?(_ path: String, kind: SQLiteKind) {
        let target = ConnectionSettings.uri(path) + "?immutable=1"
        let flags = sqlite_open_readonly | sqlite_open_uri
        guard let connection = try? Connection(target, flags: flags, library: kind.library) else { return nil }
        defer { connection.close() }
        func number(_ sql: String) -> Int64? { (try? connection.values(sql))?.first.flatMap { Int64($0) } }
        guard (try? kind.cipher?.unlock(connection)) != nil || kind.cipher == nil,
            let floor = number("SELECT sequence FROM counters WHERE one = 1"),
            let extra = number("SELECT extra FROM counters WHERE one = 1")
        else { return nil }
        let document = number(
            """
            SELECT sequence FROM (SELECT sequence, doc FROM documents ORDER BY sequence DESC LIMIT 1) \
            WHERE typeof(sequence) = 'integer' AND doc > 0
            """
        )
        let purge = number(
            """
            SELECT sequence FROM (SELECT * FROM purges ORDER BY sequence DESC LIMIT 1) \
            WHERE typeof(id) = 'text' AND typeof(live) = 'integer'
            """
        )
        lastSequence = max(document ?? 0, purge ?? 0, floor)
        (self.floor, self.extra) = (floor, extra)
    }
}
