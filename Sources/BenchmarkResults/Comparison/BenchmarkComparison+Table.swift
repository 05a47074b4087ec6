extension BenchmarkComparison {
    /// A head and a row for each entry of both files.
    public func table() -> [[String]] {
        let head = [
            "engine", "workload", "documents", "old", "new", "change", "verdict", "p99", "on disk", "peak memory",
        ]
        let changes = rows.map { [$0.p99Change, $0.bytesOnDiskChange, $0.peakMemoryChange] }
        // Of the last three only those that any row has.
        let used = (0..<3).filter { (column) in changes.contains { $0[column] != nil } }
        let fixed = head.count - 3
        let cells = zip(rows, changes).map { (row, changes) in
            [
                row.new.engine, row.new.workload, Figures.exact(row.new.documents),
                Figures.exact(row.old.opsPerSecond), Figures.exact(row.new.opsPerSecond) + " \(row.new.unit)/s",
                row.change.map(Figures.change) ?? Column.none, row.verdict.description,
            ] + used.map { changes[$0].map(Figures.change) ?? Column.none }
        }
        return [Array(head[..<fixed]) + used.map { head[fixed + $0] }] + cells.map { $0.map(\.printable) }
    }

    /// What is not in the table, and in what the environments differ: a line each.
    public func notes() -> [String] {
        let lines =
            notComparable.map { "\($0.engine), \($0.workload): not comparable, \($0.reason)" }
            + onlyInOld.map { "\($0.description): only in the old file" }
            + onlyInNew.map { "\($0.description): only in the new file" }
            + environmentDifferences.map { "\($0.name): \($0.old ?? "unknown"), now \($0.new ?? "unknown")" }
        return lines.map(\.printable)
    }
}

extension Verdict: CustomStringConvertible {
    /// `higher`, `lower`, `no difference shown` or `too few rounds`.
    public var description: String {
        switch self {
        case .unknown: "too few rounds"
        case .noDifferenceShown: "no difference shown"
        case .higher: "higher"
        case .lower: "lower"
        }
    }
}

extension BenchmarkEntry.Key {
    fileprivate var description: String { "\(engine), \(workload), \(Figures.exact(documents)) documents" }
}
