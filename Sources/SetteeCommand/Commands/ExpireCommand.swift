internal import ArgumentParser
internal import Foundation
internal import Settee
internal import SetteeEngine

/// `settee expire`.
struct ExpireCommand: DatabaseCommand {
    static let configuration = CommandConfiguration(
        commandName: "expire",
        abstract: "Say when a document is to be purged.",
        discussion: "Give one of --at, --in and --never. The document is purged while a program has the database open."
    )

    @Argument(help: "The database folder.", completion: .directory)
    var db: String
    @Argument(help: "The document's ID. Put `--` before one that begins with a dash.")
    var id: String
    @Option(help: ArgumentHelp("At this time, as 2031-05-01T12:00:00Z.", valueName: "iso8601"))
    var at: String?
    @Option(
        name: .customLong("in"),
        parsing: .unconditional,
        help: ArgumentHelp("In so many seconds from now.", valueName: "seconds")
    )
    var interval: Double?
    @Flag(help: "Never; what was set before is cleared.")
    var never = false
    @OptionGroup var writing: WritingOptions
    @OptionGroup var output: OutputOptions
    @OptionGroup var key: KeyOptions

    func validate() throws {
        let given = (at == nil ? 0 : 1) + (interval == nil ? 0 : 1) + (never ? 1 : 0)
        guard given == 1 else { throw ValidationError("Give one of --at, --in and --never.") }
        if let at {
            do throws(ISO8601.Fault) {
                _ = try ISO8601.parse(at)
            } catch {
                throw ValidationError("'\(at)' is no time. \(error.explanation)")
            }
        }
        if let interval, !interval.isFinite { throw ValidationError("The seconds of --in must be a number.") }
    }

    func run(_ printer: Printer) throws {
        try withDatabase(writing.database) { database in
            let document = database[id]
            let date = at.flatMap(ISO8601.date(from:)) ?? interval.map { Date(timeIntervalSinceNow: $0) }
            try document.setExpiration(date)
            let text = date.flatMap(ISO8601.text(of:))
            var line = JSONLine().string("id", id)
            line = text.map { line.string("expires", $0) } ?? line.json("expires", Array("null".utf8))
            try printer.line("\(Columns.printable(id)) expires \(text ?? "never")", json: line)
        }
    }
}
