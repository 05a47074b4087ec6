extension BenchmarkFile {
    /// A head and a row for each entry, in the order of the file. Columns that no entry has a figure for are absent,
    /// but for the first four and the spread; in the others a figure that was not measured is `-`.
    public func table() -> [[String]] {
        let always: [Column] = [.engine, .workload, .documents, .rate, .spread]
        let columns =
            always
            + Column.used([.baseline, .ratio, .cpu, .p50, .p99, .p999, .onDisk, .peak], by: results)
        return [columns.map(\.head)]
            + results.map { (entry) in columns.map { $0.cell(entry)?.printable ?? Column.none } }
    }

    /// What was left out and why, and what of the work the counterparts leave out: a sentence each.
    public func notes() -> [String] {
        var notes = leftOut.map { (left) in
            left.engine + (left.workload.map { ", \($0)" } ?? "") + ": left out, \(left.reason)"
        }
        struct Counterpart: Hashable {
            let name: String
            let leavesOut: String
        }
        let counterparts = BenchmarkFile.grouped(results.filter { $0.baselineLeavesOut != nil }) {
            Counterpart(name: $0.baseline ?? "plain C", leavesOut: $0.baselineLeavesOut ?? "")
        }
        for (counterpart, entries) in counterparts {
            var seen: Set<String> = []
            let workloads = entries.map(\.workload).filter { seen.insert($0).inserted }
            notes.append(
                "\(BenchmarkFile.list(workloads)): the counterpart (\(counterpart.name)) leaves out "
                    + counterpart.leavesOut
            )
        }
        return notes.map(\.printable)
    }

    /// A line for each workload that several engines were measured with: `scan: lmdb 1.3 times sqlite`, or that no
    /// difference was shown. The last line names the workloads with too few rounds to tell.
    public func verdictLines() -> [String] {
        var lines: [String] = []
        var unknown: [String] = []
        for verdict in verdicts {
            let title = title(of: Workload(name: verdict.workload, documents: verdict.documents))
            if let text = verdict.text { lines.append("\(title): \(text)") } else { unknown.append(title) }
        }
        if !unknown.isEmpty {
            lines.append("no verdict with fewer than two rounds: " + unknown.joined(separator: "; "))
        }
        return lines.map(\.printable)
    }

    /// Of the workloads that several engines were measured with.
    var verdicts: [WorkloadVerdict] { BenchmarkFile.byWorkload(results).compactMap { WorkloadVerdict($0.entries) } }
}
