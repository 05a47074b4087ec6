import Foundation
import Settee
import SetteeProgramSupport
import Testing

/// Logs and journals that were left beside the file.
@Suite struct LogTests {
    let folder: Folder
    let source: Folder

    init() throws {
        folder = try Folder()
        source = try Folder()
    }

    /// Copies a database that is open, with the files beside its own.
    private func copied(_ old: OldFiles, _ suffix: String) throws -> OldFiles {
        let copy = try OldFiles(source, .net140, name: "copy")
        copy.close()
        try FileManager.default.removeItem(atPath: copy.file)
        for part in ["", suffix] {
            try FileManager.default.copyItem(atPath: old.file + part, toPath: copy.file + part)
        }
        return copy
    }

    private func withLog() throws -> OldFiles {
        let old = try OldFiles(source, .net140)
        try old.sql("PRAGMA journal_mode = WAL; PRAGMA wal_autocheckpoint = 0")
        try old.document(1, "first")
        try old.revision(1, of: 1, "1-x", #"{"n":1}"#)
        try old.sql("PRAGMA wal_checkpoint(TRUNCATE)")
        try old.document(2, "second")
        try old.revision(2, of: 2, "1-x", #"{"n":2}"#)
        try old.sql("UPDATE revs SET json = '{\"n\":3}' WHERE sequence = 1")
        let copy = try copied(old, "-wal")
        old.close()
        return copy
    }

    @Test("What is only in the log is imported")
    func log() throws {
        let old = try withLog()
        let (database, report) = try imported(old.url, watching: source.path, in: folder)
        #expect(report.isComplete)
        #expect(try database.body("second") == #"{"n":2}"#)
        #expect(try database.body("first") == #"{"n":3}"#)
        try database.close()
    }

    @Test("A log that is truncated or followed by garbage is read up to its last commit")
    func ends() throws {
        let old = try withLog()
        let log = URL(filePath: old.file + "-wal")
        let whole = try Data(contentsOf: log)
        try (whole + Data(repeating: 0xA5, count: 3000)).write(to: log)
        let (database, report) = try imported(old.url, watching: source.path, in: folder)
        #expect(report.isComplete)
        #expect(try database.body("first") == #"{"n":3}"#)
        try database.close()
        try whole.dropLast(500).write(to: log)
        let (cut, _) = try imported(old.url, watching: source.path, in: folder)
        #expect(try cut.body("second") == #"{"n":2}"#)
        #expect(try cut.body("first") == #"{"n":1}"#)
        try cut.close()
    }

    @Test("A log whose header is damaged is reported, and the file is read without it")
    func header() throws {
        let old = try withLog()
        let log = URL(filePath: old.file + "-wal")
        var bytes = try Data(contentsOf: log)
        bytes[3] ^= 0x55
        try bytes.write(to: log)
        let (database, report) = try imported(old.url, watching: source.path, in: folder)
        #expect(report.problems.count == 1)
        #expect(report.problems.first?.document == nil)
        #expect(try database.body("first") == #"{"n":1}"#)
        #expect(try database["second"].currentRevision == nil)
        try database.close()
    }

    @Test("A damaged frame is reported, even in the last transaction")
    func frame() throws {
        let old = try withLog()
        let log = URL(filePath: old.file + "-wal")
        let whole = try Data(contentsOf: log)
        for offset in stride(from: 60, to: whole.count, by: whole.count / 7) {
            var bytes = whole
            bytes[offset] ^= 0x10
            try bytes.write(to: log)
            let (database, report) = try imported(old.url, watching: source.path, in: folder)
            #expect(!report.isComplete, "\(offset)")
            #expect(try database["first"].currentRevision != nil, "\(offset)")
            try database.close()
        }
    }

    /// A transaction that has written to the file and has not ended.
    private func withJournal() throws -> OldFiles {
        let old = try OldFiles(source, .net140)
        try old.document(1, "kept")
        try old.revision(1, of: 1, "1-x", #"{"n":1}"#)
        try old.sql("PRAGMA cache_size = 5; BEGIN; UPDATE docs SET docid = 'gone'")
        for number in 2...400 {
            try old.document(number, "\(number)" + String(repeating: "x", count: 100))
            try old.revision(Int64(number), of: number, "1-x")
        }
        let copy = try copied(old, "-journal")
        try old.sql("ROLLBACK")
        old.close()
        return copy
    }

    @Test("A transaction that did not end is rolled back by its journal")
    func journal() throws {
        let old = try withJournal()
        #expect(try Data(contentsOf: URL(filePath: old.file + "-journal")).count > 1024)
        let (database, report) = try imported(old.url, watching: source.path, in: folder)
        #expect(report.isComplete)
        #expect(report.documents == 1)
        #expect(try database.body("kept") == #"{"n":1}"#)
        try database.close()
    }

    @Test("A journal that names another file is not used, and that file stays")
    func journalOfManyFiles() throws {
        let old = try withJournal()
        let victim = source.url("victim")
        try Data("precious".utf8).write(to: victim)
        let name = Array(victim.path.utf8)
        var trailer: [UInt8] = [0, 0, 0, 1] + name
        trailer += withUnsafeBytes(of: UInt32(name.count).bigEndian) { Array($0) }
        trailer += withUnsafeBytes(of: name.reduce(UInt32(0)) { $0 &+ UInt32($1) }.bigEndian) { Array($0) }
        trailer += [0xD9, 0xD5, 0x05, 0xF9, 0x20, 0xA1, 0x63, 0xD7]
        let url = URL(filePath: old.file + "-journal")
        try (Data(contentsOf: url) + Data(trailer)).write(to: url)
        do {
            let report = try CouchbaseLiteImport(of: old.url).run(to: folder.url("new"))
            #expect(!report.isComplete)
        } catch {
            // What the transaction left may be unreadable.
            #expect(error.code == .corrupt)
        }
        #expect(try Data(contentsOf: victim) == Data("precious".utf8))
    }
}
