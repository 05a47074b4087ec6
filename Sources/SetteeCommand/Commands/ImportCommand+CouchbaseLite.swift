internal import ArgumentParser
internal import Foundation
internal import Settee

/// `settee import` of a database of Couchbase Lite 1.x.
extension ImportCommand {
    /// Whether the file is such a database instead of a text.
    var isOldDatabase: Bool {
        file != "-" && format == .auto && at == nil && idField == nil && !extendedJSON
            && CouchbaseLiteImport.isLikely(at: URL(argument: file))
    }

    /// The old and the new database have separate keys.
    func validateForOldDatabase() throws {
        if decrypt, newKey.source.isGiven {
            throw ValidationError("--decrypt leaves the new database without a key; there is one given for it.")
        }
        if reportBatches {
            throw ValidationError("An old database is imported as a whole: leave --report-batches out.")
        }
    }

    func importOldDatabase(_ printer: Printer) throws {
        let url = URL(argument: file)
        var oldKey = try key.source.key(asJSON: output.json)
        if oldKey == nil, try CouchbaseLiteImport.isEncrypted(at: url) {
            let asksAgain = try !newKey.source.isGiven && needsKey(type.forNewDatabase())
            oldKey = try KeyPrompt.ask(for: file, isFollowed: asksAgain)
            guard oldKey != nil else {
                throw StorageError(
                    .unauthorized,
                    "The old database is encrypted, or its beginning is damaged. Give its key with \(key.source.ways)."
                )
            }
        }
        let old = try CouchbaseLiteImport(of: url, key: oldKey)
        var line = ProgressLine(total: 100)
        let report: CouchbaseLiteReport
        let options = try optionsForNewDatabase()
        do {
            report = try Interruptible.run(self) {
                try old.run(to: folder, options: options, decrypt: decrypt) { (done, total) throws(StorageError) in
                    line.show("\(done) documents", done: total > 0 ? Int(Double(done) / Double(total) * 100) : 100)
                }
            }
        } catch {
            line.clear()
            guard let error = error as? StorageError else { throw error }
            throw explained(error)
        }
        line.clear()
        try tell(report, printer)
        if !report.isComplete { throw ExitCode(1) }
    }

    private func optionsForNewDatabase() throws(StorageError) -> DatabaseOptions {
        var options = writing.database
        options.create = true
        options.storageType = try type.forNewDatabase()
        options.compression = compression.compression
        options.key = try newKey.source.key(asJSON: output.json)
        guard options.key == nil, needsKey(options.storageType) else { return options }
        options.key = try KeyPrompt.askForNew(for: db)
        guard options.key != nil else {
            throw StorageError(
                .badRequest,
                "The new database is to be encrypted. Give a key for it with \(newKey.source.ways)."
            )
        }
        return options
    }

    private func needsKey(_ type: StorageType?) -> Bool {
        BuiltInEngines.all.contains { $0.storageType == type && $0.capabilities.requiresKey }
    }

    /// Adds the names of the options to a message.
    private func explained(_ error: StorageError) -> StorageError {
        var error = error
        switch error.code {
        case .badRequest where !needsKey(try? type.forNewDatabase()) && !newKey.source.isGiven && !decrypt:
            error.message =
                "The old database is encrypted, and the new one would not be. Give a key for it with "
                + "\(newKey.source.ways), or --decrypt."
        case .badParameter where key.source.isGiven && error.message.contains("not encrypted"):
            error.message =
                "The old database is not encrypted: leave its key out. The new one's is given with "
                + "\(newKey.source.ways)."
        default: break
        }
        return error
    }

    private func tell(_ report: CouchbaseLiteReport, _ printer: Printer) throws {
        var problems = report.problems.map(\.description)
        if report.problemsNotListed > 0 { problems.append("\(report.problemsNotListed) more problems are not listed") }
        if !printer.asJSON {
            for problem in problems { try printer.output.append(Columns.printable(problem) + "\n") }
            if !report.views.isEmpty {
                let names = report.views.map { Columns.printable($0) }.joined(separator: ", ")
                try printer.output.append("Views are not imported; define them anew: \(names)\n")
            }
        }
        func count(_ number: Int, _ what: String) -> String { "\(number) \(what)\(number == 1 ? "" : "s")" }
        let numbers = [
            "\(count(report.documents, "document")) with \(count(report.revisions, "revision"))",
            count(report.attachments, "attachment"), count(report.localDocuments, "local document"),
        ]
        let rest = problems.isEmpty ? "" : " \(report.failed) failed, \(count(problems.count, "problem"))."
        try printer.line(
            "Imported \(numbers.joined(separator: ", ")).\(rest)",
            json: JSONLine().number("documents", report.documents).number("failed", report.failed)
                .number("revisions", report.revisions).number("attachments", report.attachments)
                .number("localDocuments", report.localDocuments).strings("problems", problems)
                .strings("views", report.views)
        )
        try printer.flush()
    }
}
