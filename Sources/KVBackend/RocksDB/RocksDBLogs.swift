#if RocksDB
internal import StorageProtocol

/// Walks the logs of a database before RocksDB replays them. RocksDB can be told to stop at the first damaged record
/// and to forget what follows, or to refuse a log whose end was not written completely. Neither is right: an end that
/// is cut is what a power failure leaves, and what follows a damaged record was committed.
///
/// The content of the records is a batch, in one piece or several: 8 bytes of its first number, 4 bytes with how many
/// numbers it takes, and its changes.
struct RocksDBLogs {
    /// What was found that RocksDB will forget: the end of the last log. Nil if there is nothing.
    private(set) var problem: StorageProblem?
    /// The number that the next batch must have.
    private var next: UInt64?
    /// The number of the first batch.
    private var first: UInt64?
    /// The first bytes of the batch that is being read.
    private var batch: [UInt8] = []

    /// - Parameter manifest: the logs before its least one are not replayed any more. RocksDB deletes them from the
    ///   last to the first, so a killed process may leave some with a gap behind them.
    /// - Throws: `corrupt` (591) if there is none, if a record is damaged and another one follows it, or if batches are
    ///   missing, also between the table files and the first log; `fileSystem` (498).
    init(in folder: String, _ manifest: RocksDBManifest) throws(StorageError) {
        let names = try StoreFiles.names(in: folder).filter { $0.hasSuffix(".log") }
        // An open database always has one, and so has one that was closed.
        if names.isEmpty { throw .corrupt("RocksDB's log is missing from '\(folder)'") }
        // Longer numbers are higher.
        var newest: UInt64 = 0
        for name in names.sorted(by: { ($0.utf8.count, $0) < ($1.utf8.count, $1) }) {
            if let number = UInt64(name.dropLast(4)) {
                newest = max(newest, number)
                if number < manifest.leastLog { continue }
            }
            try walk(folder, name)
        }
        // RocksDB makes a log, and syncs the folder, before its manifest tells of it.
        if newest < manifest.newestLog { throw .corrupt("RocksDB's last log is missing from '\(folder)'") }
        try compare(with: manifest, in: folder)
    }

    /// Each change of the manifest has the number of the last commit. So what is only in logs begins behind that of the
    /// last change at the latest, unless the manifest has lost changes, and ends there at the earliest.
    private mutating func compare(with manifest: RocksDBManifest, in folder: String) throws(StorageError) {
        guard problem == nil, let first, let next else { return }
        if first > manifest.lastNumber + 1 {
            throw .corrupt(
                "Commits between RocksDB's table files and its logs are missing from '\(folder)': the manifest has lost "
                    + "its end, or a log is missing"
            )
        }
        if next <= manifest.lastNumber { problem = RocksDBLogs.lost("RocksDB's last log ends early.") }
    }

    private mutating func walk(_ folder: String, _ name: String) throws(StorageError) {
        batch = []
        var isInBatch = false
        let length = try RocksDBRecord.blocks(of: folder + "/" + name) { (block, offset) throws(StorageError) in
            try walk(block, at: offset, in: name, &isInBatch)
            return true
        }
        if isInBatch, problem == nil { note("ends in the middle of a record", name, length) }
    }

    /// Walks the records of a block. Behind a damaged one it looks for another at each byte.
    private mutating func walk(
        _ block: ArraySlice<UInt8>,
        at offset: Int64,
        in name: String,
        _ isInBatch: inout Bool
    ) throws(StorageError) {
        var place = 0
        while block.count - place >= RocksDBRecord.headerLength {
            guard let record = RocksDBRecord(in: block, at: place) else {
                if problem == nil {
                    let isZero = block[place...].allSatisfy { $0 == 0 }
                    // What the file system has not written yet.
                    note(isZero ? "ends with zeros" : "has a damaged record", name, offset + Int64(place))
                    isInBatch = false
                }
                place += 1
                continue
            }
            // A piece of a batch whose beginning is damaged.
            if problem != nil, !isInBatch, !record.isFirst { throw damage(at: offset + Int64(place), name) }
            if record.isFirst { batch = [] }
            isInBatch = !record.isLast
            batch += block[record.content].prefix(12 - min(12, batch.count))
            if record.isLast { try count(offset + Int64(place), name) }
            place = record.content.upperBound
        }
        if problem == nil, !block[place...].allSatisfy({ $0 == 0 }) {
            note("ends in the middle of a record", name, offset + Int64(place))
        }
    }

    private mutating func note(_ what: String, _ name: String, _ offset: Int64) {
        problem = RocksDBLogs.lost("RocksDB's log '\(name)' \(what), at byte \(offset).")
    }

    private static func lost(_ what: String) -> StorageProblem {
        StorageProblem(
            area: "log",
            message: what
                + " The commits behind it are lost, which a power failure does to commits that were not synced."
        )
    }

    /// Checks that a batch follows the one before. Then nothing was lost in between: what is damaged is a write that
    /// failed.
    private mutating func count(_ offset: Int64, _ name: String) throws(StorageError) {
        guard batch.count == 12 else { throw .corrupt("The log '\(name)' of RocksDB has a batch without a number") }
        let number = batch[..<8].reversed().reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        let count = batch[8...].reversed().reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        guard next == nil && problem == nil || next == number else { throw damage(at: offset, name) }
        problem = nil
        first = first ?? number
        next = number &+ count
    }

    private func damage(at offset: Int64, _ name: String) -> StorageError {
        .corrupt(
            "Commits before byte \(offset) of the log '\(name)' of RocksDB are missing or damaged"
                + (problem.map { ": \($0.message)" } ?? "")
        )
    }
}
#endif
