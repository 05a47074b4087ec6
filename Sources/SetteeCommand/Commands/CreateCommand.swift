internal import ArgumentParser
internal import Foundation
internal import Settee

/// `settee create`.
struct CreateCommand: NewDatabaseCommand {
    static let configuration = CommandConfiguration(
        commandName: "create",
        abstract: "Make an empty database.",
        discussion: """
            With a key, of --key-file or --new-key-file or their variables, it is encrypted, and of type sqlcipher: \
            that is \
            the encrypted form of sqlite. --storage-type sqlcipher asks for a key on a terminal if none is given.
            """
    )

    @Argument(help: "The folder to make.", completion: .directory)
    var db: String
    @OptionGroup var type: StorageTypeOption
    @OptionGroup var writing: WritingOptions
    @OptionGroup var compression: CompressionOption
    @OptionGroup var output: OutputOptions
    @OptionGroup var key: KeyOptions
    @OptionGroup var newKey: NewKeyOptions

    func validate() throws { try requireOneKey() }

    func run(_ printer: Printer) throws {
        // A broken link also exists.
        if (try? FileManager.default.attributesOfItem(atPath: folder.path)) != nil {
            throw StorageError(
                .exists,
                "There is something at '\(db)' already. Choose another path, or remove it first."
            )
        }
        var options = writing.database
        options.create = true
        options.storageType = try type.forNewDatabase()
        options.compression = compression.compression
        options.key = try givenKey()
        try requireKey(&options)
        try withDatabase(options) { database in
            try printer.line(
                "Made '\(Columns.printable(db))' (\(database.storageType)).",
                json: JSONLine().string("path", db).string("storageType", database.storageType.name)
            )
        }
    }
}
