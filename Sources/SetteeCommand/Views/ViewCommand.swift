internal import ArgumentParser

/// `settee view`: the commands on views.
struct ViewCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "view",
        abstract: "Define, query, list, update and remove views.",
        discussion: """
            A view is an index of documents by a key. One that is defined here is stored in the database, and every \
            program \
            can use it. One whose map function is in a program can be read here as it was last built.
            """,
        subcommands: [
            ViewDefineCommand.self, ViewQueryCommand.self, ViewListCommand.self, ViewUpdateCommand.self,
            ViewRemoveCommand.self,
        ]
    )
}
