internal import ArgumentParser
internal import Settee
internal import SetteeEngine
internal import StorageProtocol

/// `settee check`.
struct CheckCommand: DatabaseCommand {
    static let configuration = CommandConfiguration(
        commandName: "check",
        abstract: "Check all that can be checked in a database; exit status 1 where anything is wrong."
    )

    @Argument(help: "The database folder.", completion: .directory)
    var db: String
    @OptionGroup var reading: ReadingOptions
    @OptionGroup var output: OutputOptions
    @OptionGroup var key: KeyOptions

    func run(_ printer: Printer) throws {
        let found = try find()
        let problems = found.problems.map(\.description)
        if printer.asJSON {
            var line = JSONLine().bool("ok", problems.isEmpty).strings("problems", problems)
            if !found.notes.isEmpty { line = line.strings("notes", found.notes) }
            try printer.output.append(line.bytes)
        } else {
            for note in found.notes { try printer.output.append("note: \(note)\n") }
            for problem in problems { try printer.output.append(Columns.printable(problem) + "\n") }
            let verdict = problems.isEmpty ? "ok" : "\(problems.count) problems. Restore from a copy or an export."
            try printer.output.append(verdict + "\n")
        }
        if let refusal = found.refusal { throw refusal }
        if !problems.isEmpty { throw ExitCode(1) }
    }

    /// Damage that prevents opening the database is listed like any other. If the engine has no list, only the error is
    /// known.
    private func find() throws -> (problems: [StorageProblem], notes: [String], refusal: StorageError?) {
        var options = reading.database
        options.toleratesDamage = true
        let database: Database
        do throws(StorageError) {
            database = try openForReading(options)
        } catch {
            if let list = error.cause as? DamageList { return (list.problems, [], nil) }
            guard error.code == .corrupt || error.code == .unsupportedFormat else { throw error }
            return ([StorageProblem(area: "files", message: error.message)], [], error)
        }
        var problems: [StorageProblem] = []
        var notes: [String] = []
        var line = ProgressLine(total: 100)
        try using(database) { database in
            if database.isOpenToOthers {
                notes = ["others than the owner are let into the folder of this encrypted database (chmod -R go=)"]
            }
            problems = try database.check { done, total in
                let share = total > 0 ? Int(Double(done) / Double(total) * 100) : 100
                line.show("checking the files: \(share) %", done: share)
            }
        }
        line.clear()
        return (problems, notes, nil)
    }
}
