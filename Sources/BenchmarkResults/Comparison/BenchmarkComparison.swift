/// What two files of results say of each other (docs/reference/benchmarks.md, "Noise").
public struct BenchmarkComparison: Sendable {
    /// An entry of both files.
    public struct Row: Equatable, Sendable {
        public var old: BenchmarkEntry
        public var new: BenchmarkEntry
        /// Of the new rate against the old one.
        public var verdict: Verdict

        /// By which part of the old figure the new one is higher; below 0: lower. Nil if one is missing or the old
        /// one is 0.
        public var change: Double? { change(old.opsPerSecond, new.opsPerSecond) }
        public var bytesOnDiskChange: Double? { change(old.bytesOnDisk, new.bytesOnDisk) }
        public var peakMemoryChange: Double? { change(old.peakMemory, new.peakMemory) }
        /// Nil also where the latencies are of different things.
        public var p99Change: Double? {
            old.latency?.of == new.latency?.of ? change(old.latency?.p99, new.latency?.p99) : nil
        }

        private func change(_ old: Double?, _ new: Double?) -> Double? {
            guard let old, let new, old > 0 else { return nil }
            let part = (new - old) / old
            return part.isFinite ? part : nil
        }
    }

    /// An engine's workload that both files have, but not measured alike.
    public struct NotComparable: Codable, Equatable, Sendable {
        public var engine: String
        public var workload: String
        public var reason: String
    }

    /// Where the environments differ, in words; nil: the file does not say.
    public struct Difference: Codable, Equatable, Sendable {
        public var name: String
        public var old: String?
        public var new: String?
    }

    public let rows: [Row]
    public let notComparable: [NotComparable]
    public let onlyInOld: [BenchmarkEntry.Key]
    public let onlyInNew: [BenchmarkEntry.Key]
    public let environmentDifferences: [Difference]

    /// Whether any rate is lower in the new file.
    public var isWorse: Bool {
        rows.contains { (row) in
            if case .lower = row.verdict { true } else { false }
        }
    }

    /// Compares the entries of two files. Within a file no two entries have the same engine, workload and number of
    /// documents.
    public init(old: BenchmarkFile, new: BenchmarkFile) {
        environmentDifferences = BenchmarkComparison.differences(old.environment, new.environment)
        // Of the whole of both files.
        let conditions = environmentDifferences.filter { ["durability", "documentIDs", "data"].contains($0.name) }
        var rows: [Row] = []
        var notComparable: [NotComparable] = []
        var onlyInOld: [BenchmarkEntry.Key] = []
        var found: Set<BenchmarkEntry.Key> = []
        let newByKey = Dictionary(new.results.map { ($0.key, $0) }) { first, _ in first }
        let newByWorkload = Dictionary(grouping: new.results) { [$0.engine, $0.workload] }
        for entry in old.results {
            let reason: String
            if let other = newByKey[entry.key] {
                found.insert(other.key)
                if conditions.isEmpty, other.unit == entry.unit {
                    let verdict = Verdict(other.rates, entry.rates, smallest: Verdict.betweenRuns)
                    rows.append(Row(old: entry, new: other, verdict: verdict))
                    continue
                }
                reason =
                    conditions.isEmpty
                    ? "counts \(entry.unit) and \(other.unit)"
                    : conditions.map { "\($0.name) \($0.old ?? "unknown") and \($0.new ?? "unknown")" }
                        .joined(separator: "; ")
            } else if let others = newByWorkload[[entry.engine, entry.workload]] {
                found.formUnion(others.map(\.key))
                let counts = others.map { Figures.exact($0.documents) }
                reason = "documents \(Figures.exact(entry.documents)) and \(BenchmarkFile.list(counts))"
            } else {
                onlyInOld.append(entry.key)
                continue
            }
            notComparable.append(NotComparable(engine: entry.engine, workload: entry.workload, reason: reason))
        }
        self.rows = rows
        self.notComparable = notComparable
        self.onlyInOld = onlyInOld
        onlyInNew = new.results.map(\.key).filter { !found.contains($0) }
    }
}
