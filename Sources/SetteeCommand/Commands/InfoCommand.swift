internal import ArgumentParser
internal import Settee

/// `settee info`.
struct InfoCommand: DatabaseCommand {
    static let configuration = CommandConfiguration(
        commandName: "info",
        abstract: "Print the figures of a database, and where its space goes."
    )

    @Argument(help: "The database folder.", completion: .directory)
    var db: String
    @OptionGroup var reading: ReadingOptions
    @OptionGroup var output: OutputOptions
    @OptionGroup var key: KeyOptions

    func run(_ printer: Printer) throws {
        try withDatabase(reading) { database in
            let figures = try database.statistics()
            let space = try database.spaceReport()
            let indexes = try database.indexes().map(\.name)
            if printer.asJSON {
                try printer.output.append(json(figures, space, database).strings("valueIndexes", indexes).bytes)
            } else {
                try table(figures, space, indexes, database, printer)
            }
        }
    }

    private func json(_ figures: DatabaseStatistics, _ space: SpaceReport, _ database: Database) -> JSONLine {
        var line = JSONLine().string("path", database.path ?? db).string("storageType", figures.storageType.name)
            .string("compression", figures.compression.rawValue).number("documentCount", figures.documentCount).number(
                "lastSequence",
                figures.lastSequence
            )
            .bool("encrypted", figures.isEncrypted).number("bytesOnDisk", figures.bytesOnDisk)
            .number("freeBytes", figures.freeBytes)
        if let uuid = figures.uuid { line = line.string("uuid", uuid) }
        var details = JSONLine()
        for detail in figures.details { details = details.string(detail.name, detail.value) }
        var bytes = JSONLine()
        for part in parts(space) { bytes = bytes.number(part.field, part.bytes) }
        if figures.isEncrypted {
            line = line.objects("keySlots", figures.keySlots.map(\.json)).bool("openToOthers", figures.isOpenToOthers)
        }
        return line.json("details", details.object).json("space", bytes.object)
            .json("compaction", figures.compaction.json).objects("openSnapshots", figures.openSnapshots.json)
            .objects(
                "leftovers",
                figures.leftovers.map {
                    JSONLine().string("name", $0.name).number("bytes", $0.bytes).bool("resumable", $0.isResumable)
                }
            )
    }

    /// Returns the parts of the space, with their names in JSON and in text.
    private func parts(_ space: SpaceReport) -> [(field: String, name: String, bytes: UInt64)] {
        [
            ("bodies", "current bodies", space.bodies),
            ("oldBodies", "old bodies", space.oldBodies),
            ("conflicts", "conflicts' bodies", space.conflicts),
            ("attachments", "attachments", space.attachments),
            ("unusedAttachments", "unused attachments", space.unusedAttachments),
            ("localDocuments", "local documents", space.localDocuments),
            ("indexes", "indexes", space.indexes),
            ("freePages", "free pages", space.freePages),
            ("other", "everything else", space.other),
        ]
    }

    private func table(
        _ figures: DatabaseStatistics,
        _ space: SpaceReport,
        _ indexes: [String],
        _ database: Database,
        _ printer: Printer
    ) throws(StorageError) {
        var columns = Columns(printer.output)
        try columns.row(["path", database.path ?? db])
        try columns.row(["storage type", figures.storageType.name])
        try columns.row(["compression", figures.compression.rawValue])
        try columns.row(["documents", "\(figures.documentCount)"])
        try columns.row(["last sequence", "\(figures.lastSequence)"])
        try columns.row(["encrypted", figures.isEncrypted ? "yes" : "no"])
        if figures.isOpenToOthers { try columns.row(["open to others", "yes: the folder lets other users in"]) }
        for slot in figures.keySlots { try columns.row(["opened by", slot.text]) }
        try columns.row(["bytes on disk", "\(figures.bytesOnDisk)"])
        try columns.row(["free bytes", "\(figures.freeBytes)"])
        if let uuid = figures.uuid { try columns.row(["UUID", uuid]) }
        for detail in figures.details { try columns.row([detail.name, detail.value]) }
        if !indexes.isEmpty {
            try columns.row(["value indexes", "\(indexes.count): \(indexes.joined(separator: ", "))"])
        }
        for (name, value) in figures.compaction.rows + figures.openSnapshots.rows {
            try columns.row([name, Columns.printable(value)])
        }
        for left in figures.leftovers {
            let use = left.isResumable ? "the same conversion goes on with it" : "opening for writing removes it"
            try columns.row(["left of a killed conversion", "\(left.name), \(left.bytes) bytes; \(use)"])
        }
        for part in parts(space) { try columns.row(["bytes of \(part.name)", "\(part.bytes)"]) }
        try columns.finish()
    }
}
