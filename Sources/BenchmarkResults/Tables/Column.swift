/// One column of a table of entries: its head, and an entry's cell, nil where the figure was not measured.
struct Column: Sendable {
    let head: String
    let isNumber: Bool
    let cell: @Sendable (BenchmarkEntry) -> String?

    private init(_ head: String, isNumber: Bool = true, _ cell: @escaping @Sendable (BenchmarkEntry) -> String?) {
        self.head = head
        self.isNumber = isNumber
        self.cell = cell
    }

    /// What stands for a figure that was not measured.
    static let none = "-"

    static let engine = Column("engine", isNumber: false) { $0.engine }
    static let workload = Column("workload", isNumber: false) { $0.workload }
    static let documents = Column("documents") { Figures.exact($0.documents) }
    static let rate = Column("rate") { Figures.exact($0.opsPerSecond) + " \($0.unit)/s" }
    static let spread = Column("spread") { $0.spread.map { "±" + Figures.fixed($0 * 100, 1) + " %" } }
    static let minimum = Column("minimum") { $0.opsPerSecondMinimum.map(Figures.exact) }
    static let maximum = Column("maximum") { $0.opsPerSecondMaximum.map(Figures.exact) }
    static let rounds = Column("rounds") { Figures.exact($0.rounds.count) }
    static let baseline = Column("plain C") { $0.baselineOpsPerSecond.map(Figures.exact) }
    static let ratio = Column("ratio") { $0.ratio.map(Figures.factor) }
    static let cpuRatio = Column("CPU ratio") { $0.cpuRatio.map(Figures.factor) }
    static let cpu = Column("CPU µs") { $0.cpuMicroseconds.map(Figures.exact) }
    static let time = Column("µs each") { $0.opsPerSecond > 0 ? Figures.exact(1e6 / $0.opsPerSecond) : nil }
    static let latencyOf = Column("of a", isNumber: false) { $0.latency?.of }
    static let p50 = Column("p50 µs") { $0.latency.map { Figures.exact($0.p50) } }
    static let p99 = Column("p99 µs") { $0.latency.map { Figures.exact($0.p99) } }
    static let p999 = Column("p99.9 µs") { $0.latency.map { Figures.exact($0.p999) } }
    static let longest = Column("longest µs") { $0.latency.map { Figures.exact($0.maximum) } }
    static let idle = Column("p99 idle µs") { $0.idleP99.map(Figures.exact) }
    static let onDisk = Column("MB on disk") { $0.bytesOnDisk.map { Figures.exact($0 / 1e6) } }
    static let before = Column("MB before") { $0.bytesBefore.map { Figures.exact($0 / 1e6) } }
    static let written = Column("bytes written each") { $0.bytesWritten.map(Figures.exact) }
    static let amplification = Column("write amplification") { $0.writeAmplification.map(Figures.exact) }
    static let peak = Column("peak MB") { $0.peakMemory.map { Figures.exact($0 / 1e6) } }

    /// The columns that any of the entries has a figure for.
    static func used(_ columns: [Column], by entries: [BenchmarkEntry]) -> [Column] {
        columns.filter { (column) in entries.contains { column.cell($0) != nil } }
    }
}
