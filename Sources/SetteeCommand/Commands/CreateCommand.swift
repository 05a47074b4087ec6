internal import ArgumentParser
internal import Foundation
internal import Settee

/// `settee create`.
struct CreateCommand: DatabaseCommand {
    static let configuration = CommandConfiguration(commandName: "create", abstract: "Make an empty database.")

    enum Compression: String, ExpressibleByArgument, CaseIterable {
        case none, lz4
    }

    @Argument(help: "The folder to make.", completion: .directory)
    var db: String
    @OptionGroup var type: StorageTypeOption
    @OptionGroup var writing: WritingOptions
    @Option(help: "How bodies are stored: none or lz4 (not in this version).")
    var compression: Compression = .none
    @OptionGroup var output: OutputOptions
    @OptionGroup var key: KeyOptions
    @OptionGroup var newKey: NewKeyOptions

    func run(_ printer: Printer) throws {
        try newKey.refuseAnyKey()
        guard compression == .none else {
            throw StorageError(.notImplemented, "This version cannot compress bodies. Use --compression none.")
        }
        // A broken link is something that exists too.
        if (try? FileManager.default.attributesOfItem(atPath: db)) != nil {
            throw StorageError(
                .exists,
                "There is something at '\(db)' already. Choose another path, or remove it first."
            )
        }
        var options = writing.database
        options.create = true
        options.storageType = try type.forNewDatabase()
        try withDatabase(options) { database in
            try printer.line(
                "Made '\(Columns.printable(db))' (\(database.storageType)).",
                json: JSONLine().string("path", db).string("storageType", database.storageType.name)
            )
        }
    }
}
