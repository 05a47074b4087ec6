internal import ArgumentParser
internal import Foundation
internal import Settee

/// `settee create`.
struct CreateCommand: DatabaseCommand {
    static let configuration = CommandConfiguration(commandName: "create", abstract: "Make an empty database.")

    @Argument(help: "The folder to make.", completion: .directory)
    var db: String
    @OptionGroup var type: StorageTypeOption
    @OptionGroup var writing: WritingOptions
    @OptionGroup var compression: CompressionOption
    @OptionGroup var output: OutputOptions
    @OptionGroup var key: KeyOptions
    @OptionGroup var newKey: NewKeyOptions

    func run(_ printer: Printer) throws {
        try newKey.refuseAnyKey()
        // A broken link is something that exists too.
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
        try withDatabase(options) { database in
            try printer.line(
                "Made '\(Columns.printable(db))' (\(database.storageType)).",
                json: JSONLine().string("path", db).string("storageType", database.storageType.name)
            )
        }
    }
}
