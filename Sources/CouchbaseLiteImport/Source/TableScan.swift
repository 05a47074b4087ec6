internal import StorageProtocol

/// Reads all rows of a table by their rowids, whatever is damaged between them.
///
/// A scan that fails is taken up again from the other end, and what is left between the two is halved and read in the
/// same way, until nothing is left that can be read.
struct TableScan {
    private let connection: SourceConnection
    private let table: String
    private let forward: String
    private let backward: String
    /// Lists the rowids that an index has; nil where none is known.
    private let indexed: String?
    /// The rowids that were read, where an index is known.
    private var seen: [Int64] = []
    /// Ranges of rowids in which rows may be that cannot be read.
    private(set) var lost: [ClosedRange<Int64>] = []

    /// Whether rows may be missing of which nothing tells.
    private(set) var isDoubtful = false

    /// How many reads in a row may fail before the rest of a gap is given up.
    private static let patience = 4096
    /// How many reads there may be at all: a table that was made to be slow ends too.
    private static let mostSteps = 200_000

    /// Indexes that name every row of a table, and that have no collation of Couchbase Lite's own. They tell of rows
    /// that a damaged table has lost without a sign.
    private static let indexes = [
        "docs": "sqlite_autoindex_docs_1", "revs": "revs_parent", "localdocs": "sqlite_autoindex_localdocs_1",
        "info": "sqlite_autoindex_info_1", "views": "sqlite_autoindex_views_1",
    ]

    /// - Parameter columns: the columns to read after the rowid, which is column 0.
    init(_ connection: SourceConnection, table: String, columns: String) {
        self.connection = connection
        self.table = table
        indexed = TableScan.indexes[table].map { "SELECT rowid FROM \(table) INDEXED BY \($0)" }
        let text = "SELECT rowid, \(columns) FROM \(table) NOT INDEXED WHERE rowid BETWEEN ?1 AND ?2 ORDER BY rowid"
        forward = text + " ASC"
        backward = text + " DESC"
    }

    /// Hands each row to `body`, in no order.
    ///
    /// - Throws: what `body` throws, and failures that are no damage of the file.
    mutating func run(_ body: (_ rowid: Int64, SourceRow) throws(StorageError) -> Void) throws(StorageError) {
        // No row of Couchbase Lite's has a number below 1; what is there is read as far as that goes.
        _ = try read(Int64.min...0, ascending: true, body)
        var open: [ClosedRange<Int64>] = [1...Int64.max]
        var failures = 0
        var steps = 0
        while let range = open.popLast() {
            steps += 1
            guard failures < TableScan.patience, steps < TableScan.mostSteps else {
                lost.append(range)
                continue
            }
            let up = try read(range, ascending: true, body)
            guard up.failed else {
                failures = 0
                continue
            }
            guard up.last != range.upperBound else { continue }
            let start = up.last.map { $0 + 1 } ?? range.lowerBound
            // It may end without a failure where rows are out of order: what lies between is looked at all the same.
            let down = try read(start...range.upperBound, ascending: false, body)
            failures = up.last == nil && down.last == nil ? failures + 1 : 0
            let end = down.last.map { $0 - 1 } ?? range.upperBound
            guard start <= end else { continue }
            if start == end {
                lost.append(start...end)
            } else {
                let middle = start + (end - start) / 2
                open.append((middle + 1)...end)
                open.append(start...middle)
            }
        }
        try compareWithIndex()
        lost = TableScan.merged(lost)
        seen = []
    }

    /// Adds what the index names and the table has not.
    private mutating func compareWithIndex() throws(StorageError) {
        guard let indexed else { return }
        seen.sort()
        let known = seen
        var missing: [ClosedRange<Int64>] = []
        do throws(StorageError) {
            // No more than a sound index can have: a damaged one may lead in a circle.
            var left = known.count + 1_000_000
            try connection.rows(indexed) { (row) throws(StorageError) in
                if let rowid = row.integer(0), !TableScan.contains(rowid, in: known) { missing.append(rowid...rowid) }
                left -= 1
                return left > 0
            }
        } catch {
            guard error.isDamage else { throw error }
            isDoubtful = try hasIndex()
        }
        lost += missing
    }

    private func hasIndex() throws(StorageError) -> Bool {
        var isThere = false
        do throws(StorageError) {
            try connection.rows(
                "SELECT 1 FROM sqlite_master WHERE type = 'index' AND name = '\(TableScan.indexes[table] ?? "")'"
            ) { (_) throws(StorageError) in
                isThere = true
                return false
            }
        } catch {
            guard error.isDamage else { throw error }
        }
        return isThere
    }

    /// What is to be told of the table.
    var problems: [String] {
        let doubt = "an index of the table '\(table)' is damaged, so that rows may be missing without a sign"
        return lost.map { LostRows.text(table, $0) } + (isDoubtful ? [doubt] : [])
    }

    private static func contains(_ rowid: Int64, in sorted: [Int64]) -> Bool {
        var low = 0
        var high = sorted.count
        while low < high {
            let middle = (low + high) / 2
            if sorted[middle] < rowid { low = middle + 1 } else { high = middle }
        }
        return low < sorted.count && sorted[low] == rowid
    }

    /// Reads until the range's end, or damage.
    private mutating func read(
        _ range: ClosedRange<Int64>,
        ascending: Bool,
        _ body: (Int64, SourceRow) throws(StorageError) -> Void
    ) throws(StorageError) -> (last: Int64?, failed: Bool) {
        var last: Int64?
        var ownFailure: StorageError?
        var read: [Int64] = []
        defer { if indexed != nil { seen += read } }
        do throws(StorageError) {
            try connection.rows(ascending ? forward : backward, range.lowerBound, range.upperBound) {
                (row) throws(StorageError) in
                // A damaged tree of pages may lead in a circle.
                guard let rowid = row.integer(0), range.contains(rowid),
                    last.map({ ascending ? $0 < rowid : $0 > rowid }) ?? true
                else { throw StorageError(.corrupt, "The rows of a table are out of order.") }
                do throws(StorageError) {
                    try body(rowid, row)
                } catch {
                    ownFailure = error
                    throw error
                }
                last = rowid
                if indexed != nil { read.append(rowid) }
                return true
            }
            return (last, false)
        } catch {
            if let ownFailure { throw ownFailure }
            guard error.isDamage else { throw error }
            return (last, true)
        }
    }

    private static func merged(_ ranges: [ClosedRange<Int64>]) -> [ClosedRange<Int64>] {
        var merged: [ClosedRange<Int64>] = []
        for range in ranges.sorted(by: { $0.lowerBound < $1.lowerBound }) {
            if let last = merged.last, last.upperBound == Int64.max || range.lowerBound <= last.upperBound + 1 {
                merged[merged.count - 1] = last.lowerBound...max(last.upperBound, range.upperBound)
            } else {
                merged.append(range)
            }
        }
        return merged
    }
}

extension StorageError {
    /// Whether a part of the old file cannot be read, as opposed to a failure of this machine.
    var isDamage: Bool { code == .corrupt || code == .unauthorized }
}
