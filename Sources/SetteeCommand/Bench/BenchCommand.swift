internal import ArgumentParser
internal import Foundation
internal import Settee

/// `settee bench`: compares the engines with each other and with plain C.
struct BenchCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "bench",
        abstract:
            "Measure the storage engines on made-up people documents, beside plain-C programs on the same libraries.",
        discussion: """
            The plain-C programs do the same work on the same documents as bytes, without JSON, digests and revision \
            trees; the ratio is Settee's rate to their rate in the same round. `make bench` builds them; \
            SETTEE_BASELINE \
            names their folder. Without them only absolute rates are shown. Encrypted engines are measured with a \
            random raw \
            key of their own; a key that is given is refused.
            """
    )

    @Option(help: "An engine to measure; may be repeated. Default: all that this program has and that need no key.")
    var storageType: [String] = []
    @Option(help: "How many documents.")
    var docs: Int?
    @Option(help: "A workload to run; may be repeated: \(Workload.allCases.map(\.rawValue).joined(separator: ", ")).")
    var workload: [String] = []
    @Option(help: "How often each is measured; medians are shown.")
    var rounds: Int?
    @Option(help: "What commits survive: full or normal, on both sides.")
    var durability: Durability = .normal
    @Flag(help: "Document IDs in no order (16 hexadecimal digits).")
    var randomIds = false
    @Flag(help: "10,000 documents, one round.")
    var quick = false
    @Option(help: "Write the results to this file as JSON.")
    var output: String?
    @Option(help: "Write the results to this file as an HTML page.")
    var html: String?
    // Not named `output`, which is a file here.
    @OptionGroup var common: OutputOptions
    @OptionGroup var key: KeyOptions

    func validate() throws {
        if let docs, !(1...100_000_000).contains(docs) { throw ValidationError("--docs must be 1 to 100000000.") }
        if let rounds, !(1...1000).contains(rounds) { throw ValidationError("--rounds must be 1 to 1000.") }
        for name in workload where Workload(rawValue: name) == nil {
            throw ValidationError("There is no workload '\(name)'; see --help.")
        }
    }

    func run() throws {
        try refuseKeys()
        let types =
            try storageType.isEmpty
            ? BuiltInEngines.all.filter { !$0.capabilities.requiresKey }.map(\.storageType)
            : storageType.map { try StorageType($0) }
        let runner = BenchRunner(
            storageTypes: types,
            workloads: workload.isEmpty ? Workload.allCases : workload.compactMap(Workload.init(rawValue:)),
            documents: docs ?? (quick ? 10_000 : 100_000),
            rounds: rounds ?? (quick ? 1 : 3),
            durability: durability,
            randomIDs: randomIds,
            baseline: { Baseline(for: $0, environment: ProcessInfo.processInfo.environment) },
            progress: { [asJSON = common.json] in Failure.note($0, asJSON: asJSON) }
        )
        let report = try runner.run()
        if let output { try write(report.json(), to: output) }
        if let html { try write(Data(report.html().utf8), to: html) }
        let printer = Printer(asJSON: common.json)
        do {
            if printer.asJSON {
                try printer.line(bytes: Array(report.json(onOneLine: true)))
            } else {
                try printer.output.append(table(report))
            }
            try printer.flush()
        } catch {
            if printer.readerIsGone { throw ReaderGone() }
            throw error
        }
    }

    private func refuseKeys() throws(StorageError) {
        guard key.source.isGiven else { return }
        throw StorageError(.notImplemented, "Databases to be measured are encrypted with keys of their own. Give none.")
    }

    private func write(_ bytes: Data, to path: String) throws {
        let file = try AtomicFile(path: path)
        try file.output.append(Array(bytes))
        try file.commit()
    }

    private func table(_ report: BenchReport) -> String {
        func row(_ cells: [String]) -> String {
            zip(cells, [9, 22, 10, 12, 12, 6, 9, 10, 9, 9]).enumerated().map { column, cell in
                let space = String(repeating: " ", count: max(0, cell.1 - cell.0.count))
                return column < 2 ? cell.0 + space : space + cell.0
            }.joined(separator: "  ")
        }
        let head = row([
            "engine", "workload", "documents", "per second", "plain C", "ratio", "CPU ratio", "MB on disk", "p99 alone",
            "p99 (us)",
        ])
        let rows = report.results.map { entry in
            row([
                entry.engine, entry.workload, "\(entry.documents)", String(format: "%.0f", entry.opsPerSecond),
                entry.baselineOpsPerSecond.map { String(format: "%.0f", $0) } ?? "-",
                entry.ratio.map { String(format: "%.2f", $0) } ?? "-",
                entry.cpuRatio.map { String(format: "%.2f", $0) } ?? "-",
                entry.bytesOnDisk.map { String(format: "%.1f", $0 / 1e6) } ?? "-",
                entry.idleP99.map { String(format: "%.1f", $0) } ?? "-",
                entry.p99.map { String(format: "%.1f", $0) } ?? "-",
            ])
        }
        return ([head] + rows).joined(separator: "\n") + "\n"
    }
}
