internal import ArgumentParser
internal import Settee

/// `settee export`.
struct ExportCommand: DatabaseCommand {
    static let configuration = CommandConfiguration(
        commandName: "export",
        abstract: "Print the documents as JSON lines that `settee import` reads back, all of one state of the database."
    )

    @Argument(help: "The database folder.", completion: .directory)
    var db: String
    // Not `output`, which is the common options' name.
    @Option(name: [.customShort("o"), .customLong("output")], help: "The file to write.", completion: .file())
    var file: String?
    @Flag(help: "Also old bodies, conflicts, tombstones, local documents and more (not in this version).")
    var all = false
    @OptionGroup var reading: ReadingOptions
    @OptionGroup var output: OutputOptions
    @OptionGroup var key: KeyOptions

    func run(_ printer: Printer) throws {
        if all {
            throw StorageError(
                .notImplemented,
                "This version exports current revisions only. Leave --all out."
            )
        }
        try withDatabase(reading.database) { database in
            guard let file else {
                _ = try export(database, to: printer.output)
                return
            }
            let target = try AtomicFile(path: file)
            let documents = try export(database, to: target.output)
            try target.commit()
            try printer.line(
                "Exported \(documents) document\(documents == 1 ? "" : "s").",
                json: JSONLine().number("documents", documents)
            )
        }
    }

    private func export(_ database: Database, to output: OutputFile) throws(StorageError) -> Int {
        var documents = 0
        try database.exportDocuments { (record, history) throws(StorageError) in
            let id = try record.documentID().string
            let head = JSONLine().string("_id", id).string("_rev", history.first?.string ?? "")
                .json("_revisions", RevisionHistory(history).line.object)
            try output.append(head.open)
            // The body is `{}`, or `{` and members.
            try record.withBody { (body) throws(StorageError) in
                if body.byteCount > 2 { try output.append(",") }
                try output.append(body.extracting(min(1, body.byteCount)..<body.byteCount))
            }
            try output.append("\n")
            documents += 1
        }
        return documents
    }
}
