internal import Settee

/// Prints changes as they arrive, each line immediately.
struct ChangePrinting {
    private let printer: Printer
    private let includesDocuments: Bool
    private var remaining: Int?

    /// - Parameter limit: how many lines; nil: no limit.
    init(_ printer: Printer, includesDocuments: Bool, limit: Int?) {
        self.printer = printer
        self.includesDocuments = includesDocuments
        remaining = limit
    }

    /// Whether the limit is reached.
    var isDone: Bool { remaining == 0 }

    mutating func print(_ change: DocumentChange, in database: Database) throws {
        var revision: SavedRevision?
        if includesDocuments, let current = change.currentRevisionID {
            revision = try database[change.documentID.string].revision()
            // If the document has changed again, that change gets a line of its own.
            guard revision?.id == current else { return }
        }
        if printer.asJSON {
            try printer.output.append(try json(change, revision).bytes)
        } else {
            try printer.output.append(cells(change, revision).joined(separator: "  ") + "\n")
        }
        try printer.flush()
        remaining = remaining.map { $0 - 1 }
    }

    private func json(_ change: DocumentChange, _ revision: SavedRevision?) throws -> JSONLine {
        guard let current = change.currentRevisionID else {
            return JSONLine().number("seq", change.sequence).string("id", change.documentID.string)
                .bool("purged", true)
        }
        let line = JSONLine(
            change: change.sequence,
            change.documentID,
            current,
            isDeleted: change.isDocumentDeleted
        )
        guard let revision else { return line }
        return line.json("doc", try revision.annotatedProperties.canonicalBytes())
    }

    private func cells(_ change: DocumentChange, _ revision: SavedRevision?) -> [String] {
        var cells = ["\(change.sequence)", Columns.printable(change.documentID.string)]
        if let current = change.currentRevisionID { cells.append(current.string) }
        if change.currentRevisionID == nil {
            cells.append("purged")
        } else if change.isDocumentDeleted {
            cells.append("deleted")
        }
        if let revision { cells.append(Columns.printable(String(decoding: revision.json, as: UTF8.self))) }
        return cells
    }
}
