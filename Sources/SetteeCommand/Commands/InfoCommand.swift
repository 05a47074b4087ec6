internal import ArgumentParser
internal import Settee

/// `settee info`.
struct InfoCommand: DatabaseCommand {
    static let configuration = CommandConfiguration(commandName: "info", abstract: "Print the figures of a database.")

    @Argument(help: "The database folder.", completion: .directory)
    var db: String
    @OptionGroup var reading: ReadingOptions
    @OptionGroup var output: OutputOptions
    @OptionGroup var key: KeyOptions

    func run(_ printer: Printer) throws {
        try withDatabase(reading.database) { database in
            let figures = try database.statistics()
            if printer.asJSON {
                try printer.output.append(json(figures, database).bytes)
            } else {
                try table(figures, database, printer)
            }
        }
    }

    private func json(_ figures: DatabaseStatistics, _ database: Database) -> JSONLine {
        var line = JSONLine().string("path", database.path ?? db).string("storageType", figures.storageType.name)
            .number("documentCount", figures.documentCount).number("lastSequence", figures.lastSequence)
            .bool("encrypted", figures.isEncrypted).number("bytesOnDisk", figures.bytesOnDisk)
            .number("freeBytes", figures.freeBytes)
        if let uuid = figures.uuid { line = line.string("uuid", uuid) }
        var details = JSONLine()
        for detail in figures.details { details = details.string(detail.name, detail.value) }
        return line.json("details", details.object)
    }

    private func table(_ figures: DatabaseStatistics, _ database: Database, _ printer: Printer) throws(StorageError) {
        var columns = Columns(printer.output)
        try columns.row(["path", database.path ?? db])
        try columns.row(["storage type", figures.storageType.name])
        try columns.row(["documents", "\(figures.documentCount)"])
        try columns.row(["last sequence", "\(figures.lastSequence)"])
        try columns.row(["encrypted", figures.isEncrypted ? "yes" : "no"])
        try columns.row(["bytes on disk", "\(figures.bytesOnDisk)"])
        try columns.row(["free bytes", "\(figures.freeBytes)"])
        if let uuid = figures.uuid { try columns.row(["UUID", uuid]) }
        for detail in figures.details { try columns.row([detail.name, detail.value]) }
        try columns.finish()
    }
}
