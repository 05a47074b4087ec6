internal import ArgumentParser
internal import Settee

/// `settee compact`.
struct CompactCommand: DatabaseCommand {
    static let configuration = CommandConfiguration(
        commandName: "compact",
        abstract: "Drop the bodies of old revisions and rewrite the files without their gaps.",
        discussion:
            "Other programs may go on working. Where one has the database open, the files are rewritten another time."
    )

    @Argument(help: "The database folder.", completion: .directory)
    var db: String
    @OptionGroup var writing: WritingOptions
    @OptionGroup var output: OutputOptions
    @OptionGroup var key: KeyOptions

    func run(_ printer: Printer) throws {
        try withDatabase(writing.database) { database in
            let result = try database.compact()
            if printer.asJSON {
                try printer.output.append(json(result).bytes)
                return
            }
            try printer.output.append(
                """
                \(result.bytesBefore) bytes before, \(result.bytesAfter) after; \(result.bodiesRemoved) bodies and \
                \(result.blobsRemoved) attachments removed.

                """
            )
            if let reason = result.rewritePrevented {
                Failure.note("The files were not rewritten: \(reason)", asJSON: false)
            }
        }
    }

    private func json(_ result: CompactionResult) -> JSONLine {
        let line = JSONLine().number("bytesBefore", result.bytesBefore).number("bytesAfter", result.bytesAfter)
            .number("bodiesRemoved", result.bodiesRemoved).number("blobsRemoved", result.blobsRemoved)
        guard let reason = result.rewritePrevented else { return line }
        return line.string("rewritePrevented", reason)
    }
}
