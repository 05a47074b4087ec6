#if RocksDB
import Foundation
import Settee
import SetteeProgramSupport
import StorageConformance
import Synchronization
import Testing

/// What only reads can read a RocksDB database that another process has open: this one.
@Suite("The shell beside a process that has a RocksDB database")
struct RocksDBBesideWriterTests {
    @Test("it reads what was committed, says so, writes nothing, and is refused what would write")
    func readsBesideAWriter() throws {
        let folder = try Folder()
        let db = folder.path("db")
        let database = try Database.open(at: URL(filePath: db), options: DatabaseOptions(storageType: .rocksdb))
        defer { try? database.close() }
        for number in 0..<20 { try database["d\(number)"].put(["number": JSONValue(number)]) }
        _ = try database.compact()
        for number in 20..<40 { try database["d\(number)"].put(["number": JSONValue(number)]) }
        let before = try state(db)
        let list = try Program.succeed("ls", db)
        #expect(list.lines.count == 40)
        #expect(
            list.errors.contains("open in another process") && list.errors.contains("\(getpid())"),
            "\(list.errors)"
        )
        #expect(try Program.succeed("get", db, "d39").text.contains("39"))
        #expect(try Program.succeed("export", db).lines.count >= 40)
        #expect(try Program.succeed("find", db, #"{"number":{"$gt":30}}"#).lines.count == 9)
        #expect(try Program.succeed("check", db).text.hasSuffix("ok\n"))
        try Program.succeed("info", db)
        try Program.succeed("changes", db)
        #expect(try Program.succeed("ls", db, "--read-only").lines.count == 40)
        #expect(try state(db) == before)
        for refused in [
            ["put", db, "x", "{}"], ["compact", db], ["rm", db, "d1"], ["copy", db, folder.path("copy")],
        ] {
            let outcome = try Child(refused, input: []).wait()
            #expect(outcome.status == 1 && outcome.errors.contains("423"), "\(refused[0]): \(outcome.errors)")
        }
        #expect(try state(db) == before)
        try database["later"].put([:])
        #expect(try Program.succeed("ls", db).lines.count == 41)
    }

    @Test("it reads a state that was there, while the other process writes, flushes and compacts")
    func readsWholeStates() throws {
        let folder = try Folder()
        let db = folder.path("db")
        let database = try Database.open(
            at: URL(filePath: db),
            options: DatabaseOptions(storageType: .rocksdb, durability: .normal)
        )
        defer { try? database.close() }
        let load = Load()
        let text = String(repeating: "some text that is written again and again; ", count: 40)
        let end = DispatchSemaphore(value: 0)
        Thread.detachNewThread {
            defer { end.signal() }
            while !load.isOver.load(ordering: .relaxed) {
                let number = load.written.load(ordering: .relaxed)
                do {
                    try database[String(format: "d%06d", number)].put(["text": .string(text)])
                    if number % 100 == 99 { _ = try database.compact() }
                } catch {
                    Issue.record(error)
                    return
                }
                load.written.add(1, ordering: .relaxed)
            }
        }
        for _ in 0..<12 {
            let least = load.written.load(ordering: .relaxed)
            let documents = try Program.succeed("ls", db).lines.sorted()
            #expect((least...load.written.load(ordering: .relaxed) + 1).contains(documents.count))
            // All that were written before the last one.
            #expect(documents.last.map { $0.hasPrefix(String(format: "d%06d", documents.count - 1)) } ?? true)
        }
        load.isOver.store(true, ordering: .relaxed)
        end.wait()
    }

    private final class Load: Sendable {
        let written = Atomic(0)
        let isOver = Atomic(false)
    }

    /// The names, sizes and times of all files and folders in the database.
    private func state(_ db: String) throws -> [String] {
        try FileManager.default.subpathsOfDirectory(atPath: db).sorted().map { name in
            let facts = try FileManager.default.attributesOfItem(atPath: db + "/" + name)
            return "\(name) \(facts[.size] ?? 0) \(facts[.modificationDate] ?? 0)"
        }
    }
}
#endif
