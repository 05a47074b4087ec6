#if RocksDB
import Foundation
import StorageConformance
import StorageProtocol
import Testing

@testable import SetteeKV

/// Damaged files are told, never taken for an older state, and never end the process.
@Suite
struct RocksDBDamageTests {
    /// 40 documents in table files, and 40 in the log, which are commits 2 to 41.
    private func makeStore(_ folder: TestFolder) throws {
        let engine = try RocksDBEngine(directory: folder.path, options: StorageOptions(create: true))
        defer { engine.close() }
        try engine.write { (tx) throws(StorageError) in
            for number in 0..<40 { try tx.add("a\(number)", #"{"text":"\#(String(repeating: "x", count: 900))"}"#) }
        }
        try engine.store.flush()
        for number in 0..<40 {
            try engine.write { (tx) throws(StorageError) in
                try tx.add("b\(number)", #"{"text":"\#(String(repeating: "y", count: 900))"}"#)
            }
        }
    }

    private func files(_ folder: TestFolder, _ suffix: String) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: folder.path + "/rocksdb")
            .filter { $0.hasSuffix(suffix) || $0.hasPrefix(suffix) }.sorted().map { folder.path + "/rocksdb/" + $0 }
    }

    /// Leaves the files as a killed process does: without the list that a closing makes.
    private func forgetClosing(_ folder: TestFolder) { RocksDBInventory.remove(folder.path + "/rocksdb") }

    private func change(_ path: String, _ body: (inout Data) -> Void) throws {
        var data = try Data(contentsOf: URL(fileURLWithPath: path))
        body(&data)
        try data.write(to: URL(fileURLWithPath: path))
    }

    /// What is found by opening, reading all documents, and checking.
    private func outcome(_ folder: TestFolder) throws -> (documents: Int, problems: [StorageProblem]) {
        let engine = try RocksDBEngine(directory: folder.path, options: StorageOptions())
        defer { engine.close() }
        var problems: [StorageProblem] = []
        try engine.verify { problems.append($0) }
        let documents = try engine.read { (tx) throws(StorageError) in try tx.counters().liveDocuments }
        _ = try engine.read { (tx) throws(StorageError) in
            try tx.records(in: .all, descending: false, fields: .all) { (view) throws(StorageError) in
                _ = view.bodyCopy()
                return true
            }
        }
        return (Int(documents), problems)
    }

    @Test("a store that was closed has all commits, those of the log too")
    func keepsTheLog() throws {
        let folder = try TestFolder()
        try makeStore(folder)
        let found = try outcome(folder)
        #expect(found.documents == 80)
        #expect(found.problems.isEmpty)
    }

    @Test("a byte that flipped in a table file is 591 or found by verify", arguments: 0..<40)
    func tellsOfTableFiles(part: Int) throws {
        let folder = try TestFolder()
        try makeStore(folder)
        let largest = try #require(
            try files(folder, ".sst").max { StoreFiles.size($0) < StoreFiles.size($1) }
        )
        // The space behind the content of the last blocks is not covered by checksums, and has no meaning.
        try change(largest) { $0[$0.startIndex + $0.count * part / 40] ^= 0x10 }
        do {
            let found = try outcome(folder)
            #expect(found.documents == 80)
            if found.problems.isEmpty { print("no problem at part \(part)") }
        } catch let error as StorageError {
            #expect(error.code == .corrupt)
        }
    }

    @Test("a byte that flipped in the middle of the log is 591", arguments: 0..<20)
    func tellsOfTheLog(part: Int) throws {
        let folder = try TestFolder()
        try makeStore(folder)
        let log = try #require(try files(folder, ".log").last)
        try change(log) { $0[$0.startIndex + ($0.count - 3_000) * part / 20] ^= 1 }
        let failure = #expect(throws: StorageError.self) { try outcome(folder) }
        #expect(failure?.code == .corrupt)
        // It can be read up to there in order to rescue it.
        let engine = try RocksDBEngine(directory: folder.path, options: StorageOptions(toleratesDamage: true))
        defer { engine.close() }
        #expect(engine.openingProblems.count == 1)
        #expect(try engine.read { (tx) throws(StorageError) in try tx.counters().liveDocuments } >= 40)
    }

    @Test("a log without its end, that no closing has listed, loses what was behind, and says so", arguments: 1..<20)
    func tellsOfACutLog(bytes: Int) throws {
        let folder = try TestFolder()
        try makeStore(folder)
        forgetClosing(folder)
        let log = try #require(try files(folder, ".log").last)
        try change(log) { $0.removeLast(bytes * 40) }
        let found = try outcome(folder)
        #expect((70..<80).contains(found.documents))
        #expect(found.problems.map(\.area) == ["log"])
        // The next opening finds a log that ends as it should.
        #expect(try outcome(folder).problems.isEmpty)
    }

    @Test("zeros instead of a page of the log are 591 where commits follow")
    func tellsOfZeros() throws {
        let folder = try TestFolder()
        try makeStore(folder)
        let log = try #require(try files(folder, ".log").last)
        try change(log) { $0.replaceSubrange($0.startIndex + 4096..<$0.startIndex + 8192, with: Data(count: 4096)) }
        let failure = #expect(throws: StorageError.self) { try outcome(folder) }
        #expect(failure?.code == .corrupt)
    }

    /// Where the records of a log or a manifest of a single block begin.
    private func records(_ path: String) throws -> [Int] {
        let bytes = Array(try Data(contentsOf: URL(fileURLWithPath: path)))
        var (places, place) = ([Int](), 0)
        while place + 7 <= min(bytes.count, 32 << 10) {
            places.append(place)
            place += 7 + Int(bytes[place + 4]) + Int(bytes[place + 5]) << 8
        }
        return places
    }

    @Test(
        "after a closing, a log or a manifest that was cut between two records is 591",
        arguments: [".log", "MANIFEST"]
    )
    func tellsOfCutsBetweenRecords(kind: String) throws {
        let original = try TestFolder()
        try makeStore(original)
        let places = try records(try #require(try files(original, kind).last))
        #expect(places.count > 8)
        for place in [places.count - 1, places.count - 2, places.count / 2, 1, 0] {
            let folder = try TestFolder()
            try makeStore(folder)
            let path = try #require(try files(folder, kind).last)
            try change(path) { $0.removeLast($0.count - places[place]) }
            let failure = #expect(throws: StorageError.self) { try outcome(folder) }
            #expect(failure?.code == .corrupt, "\(place)")
        }
    }

    @Test(
        "after a closing, each file that RocksDB needs is missed, and so is its content",
        arguments: ["CURRENT", "MANIFEST", ".sst", ".log"],
        [true, false]
    )
    func tellsOfLostFiles(kind: String, isEmptied: Bool) throws {
        let folder = try TestFolder()
        try makeStore(folder)
        let path = try #require(try files(folder, kind).last)
        if isEmptied { try change(path) { $0.removeAll() } } else { try FileManager.default.removeItem(atPath: path) }
        let failure = #expect(throws: StorageError.self) { try outcome(folder) }
        #expect(failure?.code == .corrupt)
    }

    @Test("files that hold nothing may be lost", arguments: ["IDENTITY", "OPTIONS", "LOG", "SETTEE-FILES"])
    func doesWithoutOthers(kind: String) throws {
        let folder = try TestFolder()
        try makeStore(folder)
        let lost = try files(folder, kind).filter { !$0.hasSuffix(".log") }
        #expect(!lost.isEmpty)
        for path in lost { try FileManager.default.removeItem(atPath: path) }
        let found = try outcome(folder)
        #expect(found.documents == 80)
        #expect(found.problems.isEmpty)
    }

    @Test("a list of files of an earlier closing does not hold")
    func ignoresAnOldList() throws {
        let folder = try TestFolder()
        try makeStore(folder)
        let list = folder.path + "/rocksdb/" + RocksDBInventory.name
        let old = try Data(contentsOf: URL(fileURLWithPath: list))
        #expect(try outcome(folder).documents == 80)
        #expect(try Data(contentsOf: URL(fileURLWithPath: list)) != old)
        try old.write(to: URL(fileURLWithPath: list))
        #expect(try outcome(folder).documents == 80)
    }

    @Test("logs that are not replayed any more may be there with a gap behind them")
    func passesOverObsoleteLogs() throws {
        let folder = try TestFolder()
        try makeStore(folder)
        let engine = try RocksDBEngine(directory: folder.path, options: StorageOptions())
        var (old, oldLog) = (Data(), "")
        for round in 0..<3 {
            try engine.write { (tx) throws(StorageError) in try tx.add("c\(round)", "{}") }
            let log = try #require(try files(folder, ".log").last)
            if round == 0 { (old, oldLog) = (try Data(contentsOf: URL(fileURLWithPath: log)), log) }
            try engine.store.flush()
        }
        try engine.write { (tx) throws(StorageError) in try tx.add("d", "{}") }
        engine.close()
        // RocksDB deletes the last one first, and may be killed before it gets to this one.
        #expect(!old.isEmpty && !FileManager.default.fileExists(atPath: oldLog))
        try old.write(to: URL(fileURLWithPath: oldLog))
        #expect(try outcome(folder).documents == 84)
    }

    @Test("a log that is missing is 591, without a list of files too")
    func tellsOfAMissingLog() throws {
        let folder = try TestFolder()
        try makeStore(folder)
        forgetClosing(folder)
        let log = try #require(try files(folder, ".log").last)
        try FileManager.default.removeItem(atPath: log)
        let failure = #expect(throws: StorageError.self) { try outcome(folder) }
        #expect(failure?.code == .corrupt)
    }

    @Test("a byte that flipped in the manifest is 591", arguments: 0..<20)
    func tellsOfTheManifest(part: Int) throws {
        let folder = try TestFolder()
        try makeStore(folder)
        let manifest = try #require(try files(folder, "MANIFEST").last)
        try change(manifest) { $0[$0.startIndex + $0.count * part / 20] ^= 4 }
        let failure = #expect(throws: StorageError.self) { try outcome(folder) }
        #expect(failure?.code == .corrupt)
    }

    @Test("links and folders in the place of files are 591, and nothing is followed", arguments: ["link", "folder"])
    func refusesLinks(kind: String) throws {
        let (folder, outside) = (try TestFolder(), try TestFolder())
        try makeStore(folder)
        try outside.write([1, 2, 3], to: "secret")
        let path = folder.path + "/rocksdb/000999.log"
        if kind == "link" {
            try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: outside.path + "/secret")
        } else {
            try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
        }
        let failure = #expect(throws: StorageError.self) { try outcome(folder) }
        #expect(failure?.code == .corrupt)
        #expect(try Data(contentsOf: URL(fileURLWithPath: outside.path + "/secret")) == Data([1, 2, 3]))
    }

    @Test("a killed creation leaves nothing in the way")
    func removesLeftovers() throws {
        let folder = try TestFolder()
        for name in ["rocksdb.new", "rocksdb.tmp"] {
            try FileManager.default.createDirectory(
                atPath: folder.path + "/" + name,
                withIntermediateDirectories: false
            )
            try folder.write([0], to: name + "/000004.log")
        }
        try folder.write([], to: StoreFiles.trialName)
        try makeStore(folder)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["rocksdb"])
    }
}
#endif
