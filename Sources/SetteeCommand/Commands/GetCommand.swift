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
        try withDatabase(reading.database) { database in
            try database.read { _ in
                let revision = try revision(wanted, in: database)
                var properties = try revision.annotatedProperties
                if revs || conflicts, let tree = try database.revisionTree(of: revision.documentID) {
                    if revs { properties["_revisions"] = RevisionHistory(tree, revision.id).value }
                    if conflicts {
                        let others = tree.leaves.filter { !$0.isDeleted && $0.id != tree.winner?.id }
                        if !others.isEmpty { properties["_conflicts"] = .array(others.map { .string($0.id.string) }) }
                    }
                }
                try printer.line(bytes: properties.canonicalBytes())
            }
        }
    }

    private func revision(_ wanted: RevisionID?, in database: Database) throws(StorageError) -> Revision {
        guard let wanted else { return try database[id].read() }
        guard let revision = try database.revision(wanted, of: database[id].documentID()) else {
            throw StorageError(
                .notFound,
                "The document has no such revision, or its body is gone. `settee get --revs` lists those of the current one."
            )
        }
        return revision
    }
}
