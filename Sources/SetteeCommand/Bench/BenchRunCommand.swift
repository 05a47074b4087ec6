internal import ArgumentParser
internal import Foundation
internal import Settee
internal import SetteeBenchmarkResults
internal import SetteeBenchmarking
internal import StorageProtocol

/// `settee bench`, and `settee bench run`: compares the engines with each other and with plain C.
struct BenchRunCommand: PrintingCommand {
    static let configuration = CommandConfiguration(
        commandName: "run",
        abstract: "Measure the storage engines. `run` may be left out.",
        discussion: """
            The engines take turns in each round; medians are shown with their spread. The plain-C programs do the \
            same work on the same documents as bytes, without JSON, digests and revision trees; the ratio is Settee's \
            rate to their rate in the same round. `make bench` builds them; SETTEE_BASELINE names their folder. \
            Encrypted engines are measured with a random raw key of their own; a key that is given is refused.

            Workloads:
            \(Workload.all.map { "  \($0.name): \($0.summary)" }.joined(separator: "\n"))
            """
    )

    @Option(help: "An engine to measure; may be repeated. Default: all whose library is there.")
    var storageType: [String] = []
    @Option(help: "How many documents; may be repeated, for results with each number.")
    var docs: [Int] = []
    @Option(help: "A workload to run; may be repeated. Default: all.")
    var workload: [String] = []
    @Option(help: "How often each is measured; medians are shown.")
    var rounds: Int?
    @Option(help: "What commits survive: full or normal, on both sides.")
    var durability: Durability = .normal
    @Flag(help: "Document IDs in no order (16 hexadecimal digits).")
    var randomIds = false
    @Option(help: "Documents of a file with one JSON object on each line, in the place of made-up ones.")
    var data: String?
    @Option(help: "Made-up documents of so many bytes each.")
    var documentSize: Int?
    @Option(help: "The number that documents, IDs and the order of reads are made from.")
    var seed: UInt64 = 42
    @Flag(help: "Some workloads of each kind with 1,000 documents and 5 rounds: about a minute for all engines.")
    var quick = false
    @Option(help: "Write the results to this file as JSON.")
    var output: String?
    @Option(help: "Write the results to this file as an HTML page with charts.")
    var html: String?
    // Other commands call this `output`; here that is the option for the result file.
    @OptionGroup var common: OutputOptions
    @OptionGroup var key: KeyOptions

    func validate() throws {
        guard docs.allSatisfy((1...100_000_000).contains) else {
            throw ValidationError("--docs must be 1 to 100000000.")
        }
        if let rounds, !(1...1000).contains(rounds) { throw ValidationError("--rounds must be 1 to 1000.") }
        if let documentSize, !(64...16_777_216).contains(documentSize) {
            throw ValidationError("--document-size must be 64 to 16777216.")
        }
        if data != nil, documentSize != nil {
            throw ValidationError("--document-size is of made-up documents: leave it or --data out.")
        }
        if let output, output == html { throw ValidationError("--output and --html name the same file.") }
        for name in workload where Workload.named(name) == nil {
            throw ValidationError("There is no workload '\(name)'; see settee bench run --help.")
        }
    }

    func run() throws {
        try refuseKeys()
        let settings = try settings()
        // Opened first: what was measured for hours is not lost to a wrong path.
        let (output, html) = (try output.map(AtomicFile.init), try html.map(AtomicFile.init))
        let results = try measure(settings)
        let written = Result {
            if let output { try BenchOutput.write(try results.json(), to: output) }
            if let html { try BenchOutput.write(Data(results.page().utf8), to: html) }
        }
        try BenchOutput.show(results, asJSON: common.json)
        try written.get()
    }

    private func settings() throws -> BenchmarkSettings {
        var settings = BenchmarkSettings(storageTypes: try BenchOutput.types(storageType))
        let counts = docs.reduce(into: [Int]()) { if !$0.contains($1) { $0.append($1) } }
        settings.documents = counts.isEmpty ? [quick ? 1000 : 100_000] : counts
        settings.workloads = workload.isEmpty ? (quick ? Workload.quick : Workload.all) : named()
        settings.rounds = rounds ?? (quick ? 5 : 3)
        settings.durability = durability
        settings.randomIDs = randomIds
        settings.seed = seed
        settings.warmUp = quick ? 200 : settings.warmUp
        if let documentSize { settings.source = .sized(documentSize) }
        if let data { settings.source = try .own(file: data, count: settings.documents.max() ?? 1) }
        let environment = ProcessInfo.processInfo.environment
        settings.baselines = environment["SETTEE_BASELINE"].flatMap { $0.isEmpty ? nil : URL(filePath: $0) }
        settings.version = RootCommand.version
        settings.commit = environment["SETTEE_COMMIT"].flatMap { $0.isEmpty ? nil : $0 }
        settings.commandLine = Array(CommandLine.arguments.dropFirst())
        return settings
    }

    private func named() -> [Workload] {
        workload.reduce(into: [String]()) { if !$0.contains($1) { $0.append($1) } }.compactMap(Workload.named)
    }

    /// Measures, and removes its files when a signal asks the program to end.
    private func measure(_ settings: BenchmarkSettings) throws -> BenchmarkFile {
        let signal = Locked<Int32?>(nil)
        let interrupts = Interrupts { number in signal.withLock { $0 = number } }
        defer { interrupts.restore() }
        var bar: ProgressLine?
        defer { bar?.clear() }
        return try BenchmarkRunner(settings) { now in
            if let number = signal.withLock({ $0 }) { throw ExitCode(128 + number) }
            if bar == nil { bar = ProgressLine(total: now.total) }
            let round = now.round == 0 ? "warm-up" : "round \(now.round)"
            bar?.show("\(now.workload), \(now.engine), \(round)", done: now.done)
        }.run()
    }

    private func refuseKeys() throws(StorageError) {
        guard key.source.isGiven else { return }
        // What a key that cannot be used always is (501).
        throw StorageError(.notImplemented, "Databases to be measured are encrypted with keys of their own. Give none.")
    }
}
