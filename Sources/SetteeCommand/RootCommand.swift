internal import ArgumentParser

/// The list of subcommands.
struct RootCommand: ParsableCommand {
    static let version = "0.1.0"

    static let configuration = CommandConfiguration(
        commandName: "settee",
        abstract: "Keep JSON documents in embedded databases.",
        discussion: """
            <db> is the path of a database folder. Every command takes --json for machine-readable output on standard \
            output; messages and progress go to standard error. Exit status: 0 done, 1 failed, 2 usage.
            """,
        version: "settee \(version)",
        groupedSubcommands: [
            CommandGroup(name: "Documents", subcommands: documents),
            CommandGroup(name: "Attachments", subcommands: attachments),
            CommandGroup(name: "Queries", subcommands: [FindCommand.self, IndexCommand.self, ViewCommand.self]),
            CommandGroup(name: "Databases", subcommands: databases),
            CommandGroup(
                name: "Sync",
                subcommands: [ServeCommand.self, ReplicateCommand.self, CertificateCommand.self, PeersCommand.self]
            ),
            CommandGroup(name: "Measuring", subcommands: [BenchCommand.self]),
        ]
    )

    private static let documents: [any ParsableCommand.Type] = [
        PutCommand.self, GetCommand.self, RemoveCommand.self, PurgeCommand.self, ExpireCommand.self, ListCommand.self,
        ChangesCommand.self, ResolveCommand.self,
    ]

    private static let attachments: [any ParsableCommand.Type] = [
        AttachCommand.self, DetachCommand.self, CatAttachmentCommand.self,
    ]

    private static let databases: [any ParsableCommand.Type] = [
        CreateCommand.self, ImportCommand.self, ExportCommand.self, InfoCommand.self, CheckCommand.self,
        CompactCommand.self, CopyCommand.self, RekeyCommand.self, MigrateCommand.self,
    ]
}
