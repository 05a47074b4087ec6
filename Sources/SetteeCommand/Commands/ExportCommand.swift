internal import ArgumentParser
internal import Settee

/// `settee export`.
struct ExportCommand: DatabaseCommand {
    static let configuration = CommandConfiguration(
        commandName: "export",
        abstract:
            "Print the documents as JSON lines that `settee import` reads back, all of one state of the database.",
        discussion: """
            Without --all each line is a current revision. With --all the text has everything, in a format of its own: \
            old \
            bodies, conflicts, tombstones, local documents, expiry, attachments.
            """
    )

    @Argument(help: "The database folder.", completion: .directory)
    var db: String
    // Not named `output`, which is the name of the common options.
    @Option(name: [.customShort("o"), .customLong("output")], help: "The file to write.", completion: .file())
    var file: String?
    @Flag(help: "Everything: also old bodies, conflicts, tombstones, local documents, expiry and attachments.")
    var all = false
    @Flag(help: "Print nothing but the digest of everything, which databases with equal content share.")
    var digest = false
    @Flag(help: "Export what is left where commits are known to be lost; without it that is an error.")
    var despiteDamage = false
    @OptionGroup var reading: ReadingOptions
    @OptionGroup var output: OutputOptions
    @OptionGroup var key: KeyOptions

    func validate() throws {
        if digest, all || file != nil { throw ValidationError("--digest writes no documents: leave --all and -o out.") }
    }

    func run(_ printer: Printer) throws {
        try withDatabase(reading) { database in
            try requireNothingLost(database)
            if digest {
                let digest = try database.contentDigest()
                try printer.line(digest, json: JSONLine().string("digest", digest))
                return
            }
            guard let file else {
                _ = try write(database, to: printer.output)
                return
            }
            let target = try AtomicFile(path: file)
            let (documents, digest) = try write(database, to: target.output)
            try target.commit()
            var line = JSONLine().number("documents", documents)
            if let digest { line = line.string("digest", digest) }
            try printer.line("Exported \(documents) document\(documents == 1 ? "" : "s").", json: line)
        }
    }

    /// - Throws: `corrupt` (591) if something was lost, unless that is to be ignored.
    private func requireNothingLost(_ database: Database) throws {
        let problems = try database.openingProblems()
        guard !despiteDamage, !problems.isEmpty else { return }
        let reason = problems.map(\.message).joined(separator: " ")
        throw StorageError(.corrupt, "\(reason) Nothing was exported; --despite-damage exports what is left.")
    }

    private func write(_ database: Database, to output: OutputFile) throws -> (documents: Int, digest: String?) {
        guard all else { return (try export(database, to: output), nil) }
        let summary = try database.exportAll { bytes in try output.append(bytes) }
        return (summary.documents, summary.digest)
    }

    private func export(_ database: Database, to output: OutputFile) throws(StorageError) -> Int {
        var documents = 0
        try database.exportDocuments { (record, history) throws(StorageError) in
            let id = try record.documentID().string
            let head = JSONLine().string("_id", id).string("_rev", history.first?.string ?? "")
                .json("_revisions", RevisionHistory(history).line.object)
            try output.append(head.open)
            let hasAttachments = record.flags.contains(.hasAttachments)
            try record.withBody { (body) throws(StorageError) in
                if hasAttachments {
                    let inlined = try database.inliningAttachments(of: body)
                    try append(unsafe inlined.span.bytes, to: output)
                } else {
                    try append(body, to: output)
                }
            }
            try output.append("\n")
            documents += 1
        }
        return documents
    }

    /// Appends the members of a body, which is `{}`, or `{` with members, and its end.
    private func append(_ body: RawSpan, to output: OutputFile) throws(StorageError) {
        if body.byteCount > 2 { try output.append(",") }
        try output.append(body.extracting(min(1, body.byteCount)..<body.byteCount))
    }
}
