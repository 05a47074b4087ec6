internal import Foundation
internal import Settee
internal import SetteeBenchmarkResults

/// What the commands below `settee bench` read and print.
enum BenchOutput {
    /// The engines of these names, each once; all if there are none.
    static func types(_ names: [String]) throws -> [StorageType] {
        guard !names.isEmpty else { return BuiltInEngines.all.map(\.storageType) }
        return try names.reduce(into: []) { types, name in
            let type = try StorageType(name)
            if !types.contains(type) { types.append(type) }
        }
    }

    static func read(_ path: String) throws -> BenchmarkFile {
        let bytes: Data
        do {
            let file = try FileHandle(forReadingFrom: URL(argument: path))
            defer { try? file.close() }
            // One more than is read as results, so that a file that is longer is refused and not kept in memory.
            bytes = try file.read(upToCount: BenchmarkFile.longest + 1) ?? Data()
        } catch {
            throw StorageError(.fileSystem, "The results '\(path)' cannot be read: \(error.localizedDescription)")
        }
        do { return try BenchmarkFile(json: bytes) } catch {
            let code: StorageError.Code = if case .laterFormat = error { .unsupportedFormat } else { .badJSON }
            throw StorageError(code, "'\(path)': \(error.description)")
        }
    }

    static func write(_ bytes: Data, to path: String) throws { try write(bytes, to: try AtomicFile(path: path)) }

    static func write(_ bytes: Data, to file: AtomicFile) throws {
        try file.output.append(Array(bytes))
        try file.commit()
    }

    /// Prints the table, what is notable of it and what was left out.
    static func show(_ results: BenchmarkFile, asJSON: Bool) throws {
        try print(asJSON: asJSON) { printer in
            if asJSON { return try printer.line(bytes: Array(try results.json(onOneLine: true))) }
            try columns(results.table(), to: printer.output)
            for line in results.verdictLines() + results.notes() { try printer.output.append(line + "\n") }
        }
    }

    static func columns(_ rows: [[String]], to output: OutputFile) throws {
        var columns = Columns(output)
        for row in rows { try columns.row(row) }
        try columns.finish()
    }

    /// Prints to standard output. If its reader has gone, that is not a failure.
    static func print(asJSON: Bool, _ body: (Printer) throws -> Void) throws {
        let printer = Printer(asJSON: asJSON)
        do {
            try body(printer)
            try printer.flush()
        } catch {
            if printer.readerIsGone { throw ReaderGone() }
            throw error
        }
    }
}
