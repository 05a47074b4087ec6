import Foundation
import SetteeProgramSupport
import Testing

/// Writes numbers into the files of a database, bypassing all engines, with the tools of LMDB and SQLite.
struct RawStore {
    private static let tools = ["mdb_dump", "mdb_load", "sqlite3"]
    static let isThere = tools.allSatisfy { FileManager.default.isExecutableFile(atPath: "/usr/bin/" + $0) }

    /// The lines of `mdb_dump`.
    private let dump: [String]

    init(lmdb db: String) throws {
        let outcome = try RawStore.run("mdb_dump", ["-a", try RawStore.folder(db)])
        try #require(outcome.status == 0, "\(outcome.errors)")
        dump = outcome.lines
    }

    /// Replaces one of the numbers at the beginning of a table's last value, in a copy of the database.
    ///
    /// - Returns: false if it is that number already.
    func write(_ number: UInt64, at position: Int, of table: String, into db: String) throws -> Bool {
        var lines = dump
        let start = try #require(lines.firstIndex(of: "database=" + table))
        // Keys and values are on alternate lines; in `meta` the counters come first.
        let header = try #require(lines[start...].firstIndex(of: "HEADER=END"))
        let place = header + 2
        var bytes = stride(from: 1, to: lines[place].count, by: 2).compactMap { offset in
            UInt8(lines[place].dropFirst(offset).prefix(2), radix: 16)
        }
        var begin = 0
        for _ in 0..<position { begin = end(of: begin, bytes) }
        bytes.replaceSubrange(begin..<end(of: begin, bytes), with: varint(number))
        let line = " " + bytes.map { String(UInt16($0) + 256, radix: 16).dropFirst() }.joined()
        guard line != lines[place] else { return false }
        lines[place] = line
        let folder = try RawStore.folder(db)
        for name in ["data.mdb", "lock.mdb"] { try FileManager.default.removeItem(atPath: folder + "/" + name) }
        let outcome = try RawStore.run("mdb_load", [folder], input: lines.joined(separator: "\n") + "\n")
        try #require(outcome.status == 0, "\(outcome.errors)")
        return true
    }

    private func end(of begin: Int, _ bytes: [UInt8]) -> Int {
        (bytes[begin...].firstIndex { $0 < 0x80 } ?? begin) + 1
    }

    private func varint(_ number: UInt64) -> [UInt8] {
        var bytes: [UInt8] = []
        var rest = number
        while rest >= 0x80 {
            bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        return bytes + [UInt8(rest)]
    }

    // MARK: - SQLite

    /// Columns with numbers, of tables that have rows, as `table.column`.
    static func columns(of db: String) throws -> [String] {
        let query =
            "SELECT m.name || '.' || c.name FROM sqlite_master m, pragma_table_info(m.name) c "
            + "WHERE m.type = 'table' AND c.type = 'INTEGER' ORDER BY 1"
        return try sql(query, db).lines.filter { column in
            let parts = column.split(separator: ".")
            return try sql("SELECT 1 FROM \(parts[0]) LIMIT 1", db).lines == ["1"]
        }
    }

    /// Writes a number to the row with the highest one.
    ///
    /// - Returns: false if the table does not accept it.
    static func write(_ number: Int64, to column: String, of db: String) throws -> Bool {
        let parts = column.split(separator: ".")
        let change =
            "PRAGMA ignore_check_constraints = 1; UPDATE \(parts[0]) SET \(parts[1]) = \(number) "
            + "WHERE \(parts[1]) = (SELECT max(\(parts[1])) FROM \(parts[0])); SELECT changes();"
        let outcome = try sql(change, db)
        return outcome.status == 0 && outcome.lines.last != "0"
    }

    private static func sql(_ text: String, _ db: String) throws -> Program.Outcome {
        let folder = try folder(db)
        let file = try #require(
            try FileManager.default.contentsOfDirectory(atPath: folder).first {
                !$0.hasSuffix("-wal") && !$0.hasSuffix("-shm")
            }
        )
        return try run("sqlite3", [folder + "/" + file, text])
    }

    // MARK: - Tools

    private static func folder(_ db: String) throws -> String {
        let names = try FileManager.default.contentsOfDirectory(atPath: db)
        return db + "/" + (try #require(names.first { $0.hasPrefix("data-") }))
    }

    private static func run(_ tool: String, _ arguments: [String], input: String = "") throws -> Program.Outcome {
        let url = URL(filePath: "/usr/bin/" + tool)
        return try Child(program: url, arguments, input: Array(input.utf8), environment: [:]).wait()
    }
}
