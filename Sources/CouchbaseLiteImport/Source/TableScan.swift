internal import StorageProtocol

/// Reads all rows of a table by their rowids, even if parts in between are damaged.
///
/// A scan that fails is continued from the other end. The rest between the two is halved, and each half is read in the
/// same way, until nothing readable is left.
struct TableScan {
    private let connection: SourceConnection
    private let table: String
    private let forward: String
    private let backward: String
    /// The query for the rowids in an index; nil if no index is known.
    private let indexed: String?
    /// The rowids that were read, if an index is known.
    private var seen: SortedPairs?
    /// How many rows were read.
    private var count = 0
    /// Ranges of rowids that may have rows that cannot be read.
    private(set) var lost: [ClosedRange<Int64>] = []

    /// Whether rows may be missing without any sign of it.
    private(set) var isDoubtful = false

    /// How many reads in a row may fail before the rest of a gap is abandoned.
    private static let patience = 4096
    /// How many reads there may be in total, so that even a table made to be slow comes to an end.
    private static let mostSteps = 200_000

    /// Indexes that contain every row of a table and have none of Couchbase Lite's own collations. They reveal rows
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
        seen = indexed == nil ? nil : SortedPairs(in: connection.folder)
        let text = "SELECT rowid, \(columns) FROM \(table) NOT INDEXED WHERE rowid BETWEEN ?1 AND ?2 ORDER BY rowid"
        forward = text + " ASC"
        backward = text + " DESC"
    }

    /// Passes each row to `body`, in no order.
    ///
    /// - Throws: what `body` throws, and failures other than damage to the file.
    mutating func run(_ body: (_ rowid: Int64, SourceRow) throws(StorageError) -> Void) throws(StorageError) {
        // Couchbase Lite has no rows below 1. If there are any, they are read as far as possible.
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
            // This may end without a failure if rows are out of order; the rows in between are read anyway.
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
        seen = nil
    }

    /// Adds the rows that the index has but the table does not.
    private mutating func compareWithIndex() throws(StorageError) {
        guard let indexed, let seen else { return }
        let listed = SortedPairs(in: connection.folder)
        do throws(StorageError) {
            // Limited to a million rows more than were read: a damaged index may contain a cycle.
            var left = count + 1_000_000
            try connection.rows(indexed) { (row) throws(StorageError) in
                if let rowid = row.integer(0) { try listed.add(rowid) }
                left -= 1
                return left > 0
            }
        } catch {
            guard error.isDamage else { throw error }
            isDoubtful = try hasIndex()
        }
        var missing: [ClosedRange<Int64>] = []
        try listed.forEach(notIn: seen) { (rowid) throws(StorageError) in
            if let last = missing.last, last.upperBound == rowid - 1 {
                missing[missing.count - 1] = last.lowerBound...rowid
            } else {
                missing.append(rowid...rowid)
            }
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

    /// The problems of the table.
    var problems: [String] {
        let doubt = "an index of the table '\(table)' is damaged, so that rows may be missing without a sign"
        return lost.map { LostRows.text(table, $0) } + (isDoubtful ? [doubt] : [])
    }

    /// Reads until the end of the range, or until damage.
    private mutating func read(
        _ range: ClosedRange<Int64>,
        ascending: Bool,
        _ body: (Int64, SourceRow) throws(StorageError) -> Void
    ) throws(StorageError) -> (last: Int64?, failed: Bool) {
        var last: Int64?
        var ownFailure: StorageError?
        var read = 0
        defer { count += read }
        let seen = seen
        do throws(StorageError) {
            try connection.rows(ascending ? forward : backward, range.lowerBound, range.upperBound) {
                (row) throws(StorageError) in
                // A damaged tree of pages may contain a cycle.
                guard let rowid = row.integer(0), range.contains(rowid),
                    last.map({ ascending ? $0 < rowid : $0 > rowid }) ?? true
                else { throw StorageError(.corrupt, "The rows of a table are out of order.") }
                do throws(StorageError) {
                    try body(rowid, row)
                    try seen?.add(rowid)
                } catch {
                    ownFailure = error
                    throw error
                }
                last = rowid
                read += 1
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
