internal import ArgumentParser
internal import Foundation
internal import Settee
internal import SetteeBenchmarking
internal import StorageProtocol

/// `settee bench recommend`: which storage type a load should have.
struct BenchRecommendCommand: DatabaseCommand {
    static let configuration = CommandConfiguration(
        commandName: "recommend",
        abstract: "Say which storage type and settings suit a load, by measuring it on each.",
        discussion: """
            The load is described by options, taken from a database (--like), or recorded by an app (--trace, written \
            by the option `traceFile` of its manager). Options that are given replace what --like finds. Shares are \
            proportions: --reads 3 --inserts 1 is three reads for each insert. docs/guide/choosing-an-engine.md has \
            the rules.
            """
    )

    @Option(help: "A database whose documents are taken as the sample.")
    var like: String?
    @Option(help: "A trace to repeat on every storage type.")
    var trace: String?
    @Option(help: "How many documents the database will have.")
    var documents: Int?
    @Option(help: "The size of a document in bytes.")
    var documentSize: Int?
    @Option(help: "The share of reads by ID.")
    var reads: Double?
    @Option(help: "The share of listings of a hundred documents.")
    var scans: Double?
    @Option(help: "The share of queries of a view, a hundred rows each.")
    var queries: Double?
    @Option(help: "The share of inserts.")
    var inserts: Double?
    @Option(help: "The share of updates.")
    var updates: Double?
    @Option(help: "The share of attachments that are added.")
    var attachments: Double?
    @Option(help: "The size of an attachment in bytes.")
    var attachmentSize: Int?
    @Option(help: "How many documents are written in one transaction.")
    var batch: Int?
    @Option(help: "What commits survive: full or normal.")
    var durability: Durability?
    @Flag(help: "Everything on disk is to be encrypted.")
    var encrypted = false
    @Flag(help: "The data may disappear with the process.")
    var volatile = false
    @Option(help: "How many processes use the database at a time.")
    var processes: Int?
    @Option(help: "The memory for the process and the system's copies of its files, in MB.")
    var memory: UInt64?
    @Option(help: "How often each storage type is measured.")
    var rounds = 5
    @OptionGroup var output: OutputOptions
    @OptionGroup var key: KeyOptions

    var db: String { like ?? "." }

    func validate() throws {
        if like != nil, trace != nil { throw ValidationError("Give --like or --trace, not both.") }
        for (name, value) in [
            ("documents", documents), ("document-size", documentSize), ("attachment-size", attachmentSize),
            ("batch", batch), ("processes", processes),
        ] {
            if let value, !(1...1_000_000_000).contains(value) {
                throw ValidationError("--\(name) must be 1 to 1000000000.")
            }
        }
        if let documentSize, documentSize > 16 << 20 {
            throw ValidationError("--document-size must be at most 16777216.")
        }
        if let attachmentSize, attachmentSize > 1 << 28 {
            throw ValidationError("--attachment-size must be at most 268435456.")
        }
        if let batch, batch > 10_000 { throw ValidationError("--batch must be at most 10000.") }
        if let memory, !(1...1_000_000_000).contains(memory) {
            throw ValidationError("--memory must be 1 to 1000000000 MB.")
        }
        // With fewer no difference can be shown.
        guard (3...100).contains(rounds) else { throw ValidationError("--rounds must be 3 to 100.") }
        let shares = [reads, scans, queries, inserts, updates, attachments]
        let numbers = [documents, documentSize, attachmentSize, batch]
        if trace != nil, shares.contains(where: { $0 != nil }) || numbers.contains(where: { $0 != nil }) {
            throw ValidationError(
                "A trace says which operations there are, how many and how large: leave out shares, --documents, "
                    + "--document-size, --attachment-size and --batch."
            )
        }
        for share in shares {
            if let share, !(share >= 0 && share <= 1e9) { throw ValidationError("Shares must be 0 to 1000000000.") }
        }
    }

    func run(_ printer: Printer) throws {
        if like == nil, key.source.isGiven {
            throw StorageError(.badParameter, "A key opens the database of --like. Without it give none.")
        }
        let load = described(like == nil ? LoadDescription() : try sample())
        let signal = Locked<Int32?>(nil)
        let interrupts = Interrupts { number in signal.withLock { $0 = number } }
        defer { interrupts.restore() }
        var bar: ProgressLine?
        defer { bar?.clear() }
        var recommender = Recommender { name, done, total in
            if let number = signal.withLock({ $0 }) { throw ExitCode(128 + number) }
            if bar == nil { bar = ProgressLine(total: total) }
            bar?.show("measuring \(name)", done: done)
        }
        recommender.rounds = rounds
        let result =
            try trace.map { try recommender.recommend(try Trace(contentsOf: URL(argument: $0)), load) }
            ?? recommender.recommend(load)
        bar?.clear()
        try show(result, printer)
    }

    private func sample() throws -> LoadDescription {
        let database = try openForReading(DatabaseOptions(create: false, readOnly: true))
        defer { try? database.close() }
        return try LoadDescription(like: database)
    }

    /// Replaces what options say.
    private func described(_ load: LoadDescription) -> LoadDescription {
        var load = load
        if let documents { load.documents = documents }
        if let documentSize {
            load.documentBytes = documentSize
            load.source = nil
        }
        let shares: [(LoadDescription.Operation, Double?)] = [
            (.read, reads), (.scan, scans), (.query, queries), (.insert, inserts), (.update, updates),
            (.attach, attachments),
        ]
        // Whoever gives a share describes all of them.
        if shares.contains(where: { $0.1 != nil }) {
            load.shares = Dictionary(uniqueKeysWithValues: shares.map { ($0.0, $0.1 ?? 0) })
        }
        if let attachmentSize { load.attachmentBytes = attachmentSize }
        if let batch { load.batch = batch }
        if let durability { load.durability = durability }
        if encrypted { load.isEncrypted = true }
        load.isVolatile = volatile
        if let processes { load.processes = processes }
        load.memoryBytes = memory.map { $0 * 1_000_000 }
        return load
    }

    private func show(_ result: Recommendation, _ printer: Printer) throws {
        guard !printer.asJSON else {
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
            return try printer.line(bytes: Array(try encoder.encode(result)))
        }
        let choice = result.storageType.map { type in
            type + (result.compression.map { " with compression \($0)" } ?? "")
        }
        try printer.output.append("Storage type: \(choice ?? "none"), durability \(result.durability).\n\nWhy:\n")
        for line in result.reasons { try printer.output.append("  \(line)\n") }
        guard !result.wouldChange.isEmpty else { return }
        try printer.output.append("\nWhat would change the choice:\n")
        for line in result.wouldChange { try printer.output.append("  \(line)\n") }
    }
}
