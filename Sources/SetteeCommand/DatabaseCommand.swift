internal import ArgumentParser
internal import Foundation
internal import Settee

/// A command on one database.
protocol DatabaseCommand: ParsableCommand {
    /// The path of the database folder.
    var db: String { get }
    var output: OutputOptions { get }
    var key: KeyOptions { get }
    /// Whether a new key will be asked for after that of the database.
    var asksForNewKey: Bool { get }

    /// Does the command's work. What remains in the printer's buffer is written afterwards.
    func run(_ printer: Printer) throws
}

extension DatabaseCommand {
    var asksForNewKey: Bool { false }

    func run() throws {
        if db.isEmpty { throw ValidationError("The path of the database folder is empty.") }
        FaultSignals.report(for: db, asJSON: output.json)
        let printer = Printer(asJSON: output.json)
        defer { KeyPrompt.release() }
        do {
            try run(printer)
        } catch {
            // If the reader is gone, no message is needed, whatever error this led to.
            if printer.readerIsGone { throw ReaderGone() }
            // What was printed before a failure is correct.
            try? printer.flush()
            throw error
        }
        do {
            try printer.flush()
        } catch {
            if printer.readerIsGone { throw ReaderGone() }
            throw error
        }
    }

    var folder: URL { URL(argument: db, .isDirectory) }

    /// Opens the database, which must exist, and closes it after `body`.
    func withDatabase(_ options: DatabaseOptions, _ body: (Database) throws -> Void) throws {
        var options = options
        try using(open(&options), body)
    }

    /// Does the same for a command that only reads.
    func withDatabase(_ reading: ReadingOptions, _ body: (Database) throws -> Void) throws {
        try using(openForReading(reading.database), body)
    }

    /// Opens the database. If the disk is full, opens it read-only, as with `--read-only`. So it does beside a process
    /// that has the database to itself, if that is possible, and says so.
    func openForReading(_ options: DatabaseOptions) throws(StorageError) -> Database {
        var options = options
        options.besideWriter = true
        let database: Database
        do throws(StorageError) {
            database = try open(&options)
        } catch {
            guard error.code == .full, !options.readOnly else { throw error }
            options.readOnly = true
            database = try open(&options)
        }
        if let writer = database.writerBeside {
            Failure.note(
                "the database is open in another process\(writer.isEmpty ? "" : ": \(writer)"); this is what it had "
                    + "committed when this command began",
                asJSON: output.json
            )
        }
        return database
    }

    /// Opens the database with its key: the key of the options, else the one given to the program, else one typed at
    /// the terminal. Asks for a key only if the database is encrypted. Leaves the key in the options.
    func open(_ options: inout DatabaseOptions) throws(StorageError) -> Database {
        if options.key == nil { options.key = try key.source.key(asJSON: output.json) }
        do throws(StorageError) {
            return try Database.open(at: folder, options: options)
        } catch {
            guard error.code == .unauthorized, options.key == nil else { throw error }
            options.key = try KeyPrompt.ask(for: db, isFollowed: asksForNewKey)
            guard options.key != nil else {
                throw StorageError(.unauthorized, "The database is encrypted. Give its key with \(key.source.ways).")
            }
            return try Database.open(at: folder, options: options)
        }
    }

    /// Closes the database after `body`, even if it throws.
    func using(_ database: Database, _ body: (Database) throws -> Void) throws {
        do {
            try body(database)
        } catch {
            try? database.close()
            throw error
        }
        try database.close()
    }
}
