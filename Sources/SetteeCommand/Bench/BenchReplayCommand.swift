internal import ArgumentParser
internal import Foundation
internal import Settee
internal import SetteeBenchmarking
internal import StorageProtocol

/// `settee bench replay`: repeats a trace on a new database.
struct BenchReplayCommand: DatabaseCommand {
    static let configuration = CommandConfiguration(
        commandName: "replay",
        abstract: "Repeat a trace on a new database, and say how long each kind of operation took.",
        discussion: """
            Documents get made-up content of the recorded sizes. Two replays of a trace leave databases of the same \
            content (`settee export --digest`), whatever their storage types.
            """
    )

    @Argument(help: "The trace, written by the option `traceFile` of a manager.")
    var trace: String
    @Argument(help: "The folder of the new database. A trace of several databases makes <db>-2, <db>-3, ...")
    var db: String
    @Option(help: "The storage type of the new database.")
    var storageType = "sqlite"
    @Option(help: "What commits survive: full or normal.")
    var durability: Durability = .full
    @OptionGroup var output: OutputOptions
    @OptionGroup var key: KeyOptions

    func run(_ printer: Printer) throws {
        guard storageType != StorageType.memory.name else {
            throw StorageError(.badParameter, "A database in memory has no folder. Choose another storage type.")
        }
        let replay = try TraceReplay(try Trace(contentsOf: URL(argument: trace)))
        let options = DatabaseOptions(
            storageType: try StorageType(storageType),
            durability: durability,
            key: try key.source.key(asJSON: output.json)
        )
        var databases: [Database] = []
        defer { for database in databases { try? database.close() } }
        let places = replay.databases.indices.map { $0 == 0 ? db : "\(db)-\($0 + 1)" }
        for place in places where FileManager.default.fileExists(atPath: place) {
            throw StorageError(.exists, "'\(place)' exists. Name a new folder.")
        }
        var times: [TraceOperation: (count: Int, nanoseconds: UInt64)] = [:]
        let summary = try replay.run(
            database: { _ in
                let database = try Database.open(at: URL(argument: places[databases.count]), options: options)
                databases.append(database)
                return database
            },
            measure: { kind, time in
                times[kind, default: (0, 0)].count += 1
                times[kind, default: (0, 0)].nanoseconds += time
            }
        )
        var columns = Columns(printer.output)
        if !printer.asJSON { try columns.row(["operation", "count", "microseconds each"]) }
        for kind in TraceOperation.allCases {
            guard let (count, nanoseconds) = times[kind] else { continue }
            let each = Double(nanoseconds) / 1000 / Double(count)
            if printer.asJSON {
                let line = JSONLine().string("operation", kind.rawValue).number("count", count)
                try printer.line(bytes: line.json("microseconds", Array(String(format: "%.3f", each).utf8)).bytes)
            } else {
                try columns.row([kind.rawValue, "\(count)", String(format: "%.1f", each)])
            }
        }
        try columns.finish()
        guard !printer.asJSON else { return }
        for (count, text) in [
            (summary.prepared, "documents were made first, since the trace begins with a database that has some."),
            (summary.refused, "operations were refused, as the trace does not say enough."),
            (summary.leftOut, "lines are not repeated: openings, and what lacks its beginning or end."),
        ] where count > 0 {
            try printer.output.append("\(count) \(text)\n")
        }
    }
}
