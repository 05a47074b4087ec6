internal import ArgumentParser

/// `settee index`: the commands on value indexes.
struct IndexCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "index",
        abstract: "Create, list, update and remove the indexes that `find` uses.",
        discussion: """
            An index is ordered by fields of documents. It is stored in the database, and every program uses it. One of \
            a design document, as CouchDB's _index makes them, is named _design/NAME/INDEX.
            """,
        subcommands: [
            IndexCreateCommand.self, IndexListCommand.self, IndexUpdateCommand.self, IndexRemoveCommand.self,
        ]
    )
}
