internal import ArgumentParser
internal import Settee

/// `settee get`.
struct GetCommand: DatabaseCommand {
    static let configuration = CommandConfiguration(
        commandName: "get",
        abstract: "Print a document as one line of JSON, with `_id` and `_rev`."
    )

    @Argument(help: "The database folder.", completion: .directory)
    var db: String
    @Argument(help: "The document's ID. Put `--` before one that begins with a dash.")
    var id: String
    @Option(help: "This revision instead of the current one; a tombstone too.")
    var rev: String?
    @Flag(help: "Add `_revisions`: the revision's ID and those of its ancestors.")
    var revs = false
    @Flag(help: "Add `_conflicts`: the other current revisions, if there are any.")
    var conflicts = false
    @OptionGroup var reading: ReadingOptions
    @OptionGroup var output: OutputOptions
    @OptionGroup var key: KeyOptions

    func run(_ printer: Printer) throws {
        let wanted = try rev.map { (text) throws(StorageError) in try RevisionID(text) }
        try withDatabase(reading) { database in
            try database.read { _ in
                let revision = try revision(wanted, in: database)
                var special: SpecialProperties = []
                if revs { special.insert(.revisions) }
                if conflicts { special.insert(.conflicts) }
                let properties = try revision.properties(including: special)
                try printer.line(bytes: properties.canonicalBytes())
            }
        }
    }

    private func revision(_ wanted: RevisionID?, in database: Database) throws(StorageError) -> SavedRevision {
        guard let wanted else { return try database[id].read() }
        guard let revision = try database.revision(wanted, of: database[id].documentID()) else {
            throw StorageError(
                .notFound,
                "The document has no such revision, or its body is gone. `settee get --revs` lists those of the "
                    + "current one."
            )
        }
        return revision
    }
}
