internal import Foundation
internal import StorageProtocol
internal import Testing

@testable internal import SetteeSQLite

/// The data file is an ordinary SQLite file.
@Suite struct FileTests {
    static let shell = ["/usr/bin/sqlite3", "/usr/local/bin/sqlite3", "/opt/homebrew/bin/sqlite3"].first {
        FileManager.default.isExecutableFile(atPath: $0)
    }

    @Test(.enabled(if: shell != nil, "needs the sqlite3 shell"))
    func theShellReadsIt() throws {
        let store = try TestStore.filled(200)
        let copy = try TestStore()
        let engine = try store.open()
        try engine.copy(toDirectory: copy.directory) { (_, _) throws(StorageError) in }
        engine.close()
        #expect(try run("PRAGMA integrity_check", copy.path) == "ok")
        #expect(
            try run("SELECT typeof(body), body FROM documents WHERE id = '\(name(7))'", copy.path)
                == "text|" + String(decoding: someBody(7), as: UTF8.self)
        )
        #expect(try run("SELECT count(*) FROM documents", copy.path) == "200")
        #expect(try run("PRAGMA application_id", copy.path) == "\(0x5365_7474)")
        #expect(try run("PRAGMA user_version", copy.path) == "1")
        #expect(try run("PRAGMA journal_mode", copy.path) == "wal")
    }

    private func run(_ sql: String, _ path: String) throws -> String {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: try #require(Self.shell))
        process.arguments = ["-batch", path, sql]
        let output = Pipe()
        process.standardOutput = output
        try process.run()
        let data = try output.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        #expect(process.terminationStatus == 0)
        return String(decoding: data, as: UTF8.self).trimmingCharacters(in: .newlines)
    }

    @Test func theHeaderNamesOwnerAndVersion() throws {
        let store = try TestStore.filled(1)
        let bytes = try store.fileBytes
        #expect(Array(bytes[..<16]) == Array("SQLite format 3\0".utf8))
        #expect(Array(bytes[68..<72]) == Array("Sett".utf8))
        #expect(Array(bytes[60..<64]) == [0, 0, 0, 1])
    }

    /// The last connection moves the log into the file and removes it, whichever connection that is.
    @Test func closingLeavesOneFile() throws {
        let store = try TestStore()
        let engine = try store.open()
        try engine.insert(0..<500)
        let reader = try engine.beginRead()
        #expect(try reader.ids().count == 500)
        try engine.insert(500..<600)
        engine.close()
        // The reader still has the file open.
        #expect(store.size("-wal") != nil)
        #expect(code { _ = try reader.ids() } == .notOpen)
        reader.end()
        #expect(store.size("-wal") == nil)
        #expect(store.size("-shm") == nil)
        let again = try store.open(StorageOptions())
        #expect(try again.read { (now) throws(StorageError) in try now.ids().count } == 600)
        again.close()
    }

    /// The log stays bounded while readers come and go, with at least one at any time.
    @Test func theLogIsBounded() throws {
        let store = try TestStore()
        let engine = try store.open()
        var reader: (any ReadTransaction)?
        var largest = 0
        for batch in 0..<150 {
            let next = try engine.beginRead()
            _ = try next.counters()
            reader?.end()
            reader = next
            try engine.write { (transaction) throws(StorageError) in
                for number in 0..<20 {
                    try transaction.insert("\(batch)-\(number)", Array(repeating: 0x61, count: 16_000))
                }
            }
            largest = max(largest, store.size("-wal") ?? 0)
        }
        reader?.end()
        // 48 MB were written; the bound is what commits leave in the log, and what one more batch adds.
        let frame = 4096 + 24
        #expect(largest < (Int(SQLiteEngine.framesAtMost) + 2 * Int(SQLiteEngine.framesAtEaseOfLarge)) * frame)
        #expect(try engine.problems() == [])
        engine.close()
    }
}
