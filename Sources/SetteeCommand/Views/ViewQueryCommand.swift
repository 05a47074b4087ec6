internal import ArgumentParser
internal import Settee

/// `settee view query`.
struct ViewQueryCommand: DatabaseCommand {
    static let configuration = CommandConfiguration(
        commandName: "query",
        abstract: "Print the rows of a view, in the order of their keys.",
        discussion: """
            A table on a terminal, else lines of JSON: key, value, id. Rows come in batches, each of one state of the \
            database: a slow reader holds nobody up.

            A view of a design document is design/view. Its functions run in settee-js; with --update never it is not \
            needed.

            With --follow it prints the rows as lines of JSON, and whenever they change those that are gone, with \
            "removed":true, then those that are new, until it is interrupted.
            """
    )

    @Argument(help: "The database folder.", completion: .directory)
    var db: String
    @Argument(help: "The view's name.")
    var name: String
    @OptionGroup var options: QueryOptions
    @Flag(help: "Go on with the rows that come and go. An interrupt ends it.")
    var follow = false
    @OptionGroup var reading: ReadingOptions
    @OptionGroup var output: OutputOptions
    @OptionGroup var key: KeyOptions

    func validate() throws {
        if follow, options.update == .never || options.update == .after {
            throw ValidationError("--follow keeps the index up to date: it cannot be combined with --update.")
        }
    }

    func run(_ printer: Printer) throws {
        try withDatabase(reading) { database in
            let view = database.view(name)
            // Rows that were built can be read without the functions.
            let isOfDesign = try options.update != .never && DesignViews(database).set(name)
            let status = try view.requiredStatus()
            let isKnown = isOfDesign || status.definition != nil
            var query = options.query(view)
            if follow { return try follow(query, isKnown, printer) }
            switch options.update {
            case .before: query.update = .before
            case nil where isKnown: query.update = .before
            case nil:
                query.update = .never
                noteAge(status)
            // The program ends with the query, so it updates the index itself.
            case .never, .after: query.update = .never
            }
            try list(query, printer)
            guard options.update == .after else { return }
            try printer.flush()
            try view.updateIndex()
        }
    }

    private func follow(_ query: DatabaseQuery, _ isKnown: Bool, _ printer: Printer) throws {
        guard isKnown else {
            throw StorageError(
                .notFound,
                "The map function of '\(name)' is in a program: only that one can follow its rows. Leave --follow out."
            )
        }
        try QueryFollower.run(query, printer)
    }

    private func list(_ query: DatabaseQuery, _ printer: Printer) throws {
        let asTable = !printer.asJSON && Terminal.isOutput
        var columns = Columns(printer.output)
        try DesignViews.run {
            try query.forEach { row in
                if asTable {
                    try columns.row(row.cells(includesDocument: query.includeDocs))
                } else {
                    try printer.output.append(row.line(includesDocument: query.includeDocs).bytes)
                }
            }
        }
        try columns.finish()
    }

    /// Notes that the index cannot be brought up to date here.
    private func noteAge(_ status: ViewStatus) {
        let age = status.isStale ? "The database has changed since." : "The database has not changed since."
        Failure.note(
            """
            The map function of '\(name)' is in a program. These are the rows as that one last built \
            them, which may be stale. \(age)
            """,
            asJSON: output.json
        )
    }
}
