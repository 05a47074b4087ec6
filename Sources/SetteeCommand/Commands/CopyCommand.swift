internal import ArgumentParser
internal import Foundation
internal import Settee

/// `settee copy`.
struct CopyCommand: DatabaseCommand {
    static let configuration = CommandConfiguration(
        commandName: "copy",
        abstract: "Copy a database, which others may use meanwhile, to a new folder.",
        discussion: """
            The copy is of one moment, complete or not there, and has UUIDs of its own. That of an encrypted database \
            has \
            the same key.
            """
    )

    @Argument(help: "The database folder.", completion: .directory)
    var db: String
    @Argument(help: "The folder to make; nothing may be there.", completion: .directory)
    var new: String
    @OptionGroup var reading: ReadingOptions
    @OptionGroup var output: OutputOptions
    @OptionGroup var key: KeyOptions

    func validate() throws {
        if new.isEmpty { throw ValidationError("The path of the new folder is empty.") }
    }

    func run(_ printer: Printer) throws {
        try withDatabase(reading) { database in
            try Interruptible.run(self) { try database.copy(to: URL(argument: new, .isDirectory)) }
            let count = try database.documentCount
            try printer.line(
                "Copied to '\(Columns.printable(new))'.",
                json: JSONLine().string("path", new).number("documentCount", count)
            )
        }
    }
}
