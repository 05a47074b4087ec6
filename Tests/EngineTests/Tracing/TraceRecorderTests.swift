import Foundation
import Settee
import SetteeSystemLibrary
import SetteeTestSupport
import StorageProtocol
import Testing

/// What a trace tells of the work of databases, and what it never does.
@Suite struct TraceRecorderTests {
    /// Texts that stand for content: they begin with what no line of a trace has.
    private static let markers = ["marker", "MARKER", "0beec7b5", "C+7Hte"]

    @Test(arguments: Storage.every) func allOperationsAreRecordedWithoutContent(_ type: StorageType) throws {
        let bed = try TracedBed(type)
        try work(bed.database)
        let lines = try bed.lines()
        let head = try #require(lines.first)
        #expect(head["format"] == 1)
        #expect(head["salt"]?.stringValue?.isEmpty == false)
        let known: Set<String> = [
            "open", "close", "begin", "commit", "rollback", "put", "insert", "purge", "prune", "putLocal",
            "removeLocal", "expire", "get", "leaves", "snapshot", "snapshotEnd", "list", "changes", "define", "index",
            "query", "undefine", "dropIndex", "stage", "read", "compact",
        ]
        #expect(Set(lines.operations) == known)
        for line in lines.dropFirst() {
            #expect(line["db"] == 1)
            #expect(line["th"]?.intValue ?? 0 > 0)
            #expect(line["at"]?.intValue != nil)
            #expect(line["ns"]?.intValue != nil)
        }
        let text = try String(contentsOf: bed.file, encoding: .utf8)
        for marker in TraceRecorderTests.markers { #expect(!text.contains(marker), "\(marker)") }
        // Every text is one of ours, or a hash.
        let words = known.union(["full", "normal", type.name])
        for line in lines.dropFirst() {
            for value in line.values.flatMap({ $0.arrayValue ?? [$0] }) {
                guard let word = value.stringValue else { continue }
                let isHash = word.utf8.count == 16 && word.allSatisfy { $0.isHexDigit }
                #expect(isHash || words.contains(word), "\(line)")
            }
        }
    }

    /// Does everything that has a line of its own.
    private func work(_ database: Database) throws {
        let first = try database["marker-id"].put(["marker-name": "marker-value"])
        _ = try database["marker-id"].revision()
        _ = try database["marker-id"].json()
        _ = try database["marker-id"].revision(first.id)
        try database["marker-id"].setAttachment(named: "marker-file", contentType: "marker/type", content: bytes("foo"))
        _ = try database["marker-id"].read().attachment(named: "marker-file")?.content()
        let branch = try RevisionID("2-marker")
        try database["marker-id"].forceInsert(["MARKER": 1], history: [branch, first.id])
        _ = try database["marker-id"].leafRevisions()
        try database["marker-id"].purge(revisions: [branch])
        try database["_local/marker"].put(["MARKER": "MARKER"])
        try database["_local/marker"].delete()
        try database["marker-id"].setExpiration(Date(timeIntervalSince1970: 4e9))
        try database.read { snapshot in
            _ = try snapshot.revision(of: "marker-id")
            _ = try snapshot.withJSON(of: "marker-id") { _ in }
            try snapshot.forEachDocument(DocumentQuery(includeBodies: true)) { _ in true }
        }
        _ = try database.changes(since: 0, includeDocs: true).rows()
        _ = try database.allDocumentsQuery(startKey: "marker", includeDocs: true).run()
        let view = database.view("marker-view")
        try view.define(ViewDefinition(keys: [JSONPointer("/marker-name")], reduce: "_count"))
        _ = try view.query(startKey: "marker").run()
        var rows = view.query()
        rows.mapOnly = true
        rows.includeDocs = true
        _ = try rows.run()
        try view.deleteIndex()
        try view.delete()
        struct Marker: Error {}
        #expect(throws: Marker.self) {
            try database.inTransaction {
                try database["marker-lost"].put(["MARKER": 2])
                throw Marker()
            }
        }
        try database["marker-gone"].put([:])
        try database["marker-gone"].purge()
        try database.compact()
    }

    @Test(arguments: Storage.every) func linesSayHowMuchAndWhatBelongsTogether(_ type: StorageType) throws {
        let bed = try TracedBed(type)
        let database = bed.database
        let first = try database["a"].put(["n": 1])
        try database["a"].put(["n": 22], parent: first.id)
        try database["b"].put([:])
        _ = try database["a"].revision()
        _ = try database["missing"].revision()
        try database["b"].delete()
        try database["c"].setAttachment(named: "x", content: bytes("foo"))
        try database["d"].setAttachment(named: "y", content: bytes("foo"))
        let lines = try bed.lines()
        let open = try lines.first("open")
        #expect(open["storage"]?.stringValue == type.name)
        #expect((open["encrypted"] == true) == (type == .sqlcipher))
        #expect(open["durability"] == "normal")
        let puts = lines.filter { $0["op"] == "put" }
        try #require(puts.count == 6)
        #expect(puts.map { $0["size"] }.prefix(3) == [7, 8, 2])
        #expect(puts[0]["id"] == puts[1]["id"])
        #expect(puts[0]["id"] != puts[2]["id"])
        #expect(puts[0]["on"] == nil)
        #expect(puts[1]["on"] == puts[0]["rev"])
        #expect(puts.map { $0["gen"] } == [1, 2, 1, 2, 1, 1])
        #expect(puts.map { $0["deleted"] } == [nil, nil, nil, true, nil, nil])
        // The same content twice.
        #expect(puts[4]["contents"] == puts[5]["contents"])
        #expect(puts[4]["lengths"] == [3])
        let stages = lines.filter { $0["op"] == "stage" }
        #expect(
            stages.map { $0["content"].map { [$0] } } == [
                puts[4]["contents"]?.arrayValue, puts[4]["contents"]?.arrayValue,
            ]
        )
        let gets = lines.filter { $0["op"] == "get" }
        #expect(gets.prefix(2).map { $0["size"] } == [8, nil])
        #expect(gets[0]["id"] == puts[0]["id"])
    }

    @Test func twoTracesHaveNoHashInCommon() throws {
        var hashes: [JSONValue?] = []
        for _ in 0..<2 {
            let bed = try TracedBed(.memory)
            try bed.database["a"].put([:])
            let lines = try bed.lines()
            let put = try lines.first("put")
            hashes += [put["id"], put["rev"], lines.first?["salt"]]
        }
        #expect(Set(hashes).count == hashes.count)
    }

    @Test func whatIsRefusedOrChangesNothingHasNoLine() throws {
        let bed = try TracedBed(.memory)
        try bed.database["a"].put([:])
        expectError(.conflict) { try bed.database["a"].put(["n": 1]) }
        try bed.database.inTransaction { _ = try bed.database["a"].revision() }
        try bed.database.inTransaction {
            try bed.database["b"].put([:])
            expectError(.conflict) { try bed.database["b"].put(["n": 1]) }
        }
        #expect(
            try bed.lines().operations
                == ["open", "begin", "put", "commit", "get", "begin", "put", "commit", "close"]
        )
    }

    @Test func aDatabaseKeepsItsNumberAndOthersHaveTheirOwn() throws {
        let bed = try TracedBed(.sqlite)
        let other = try bed.manager.database(named: "other", options: .init(storageType: .memory))
        try other["x"].put([:])
        try other.close()
        try bed.database.close()
        let again = try bed.manager.database(named: "marker/name", options: TestDatabase.options)
        try again["x"].put([:])
        let lines = try bed.lines()
        #expect(lines.filter { $0["op"] == "open" }.map { $0["db"] } == [1, 2, 1])
        #expect(lines.filter { $0["op"] == "put" }.map { $0["db"] } == [2, 1])
    }

    @Test(arguments: Storage.every) func threadsKeepLinesWholeAndCommitsInOrder(_ type: StorageType) throws {
        let bed = try TracedBed(type)
        let database = bed.database
        try onThreads(4) { thread in
            for number in 0..<50 {
                try database.inTransaction {
                    let before = try database["shared"].revision()
                    try database["shared"].put(["n": .int(Int64(number))], parent: before?.id)
                    try database["own\(thread)-\(number)"].put([:])
                }
                _ = try database["own\(thread)-0"].revision()
            }
        }
        let lines = try bed.lines()
        var writer: JSONValue?
        var latest: JSONValue?
        var generation: Int64 = 0
        let shared = try lines.first("put")["id"]
        for line in lines {
            switch line["op"] {
            case "begin":
                #expect(writer == nil)
                writer = line["th"]
            case "put":
                #expect(line["th"] == writer)
                guard line["id"] == shared else { continue }
                generation += 1
                #expect(line["gen"]?.intValue == generation)
                #expect(line["on"] == latest)
                latest = line["rev"]
            case "commit":
                #expect(line["th"] == writer)
                writer = nil
            default: break
            }
        }
        #expect(generation == 200)
        #expect(Set(lines.compactMap { $0["th"] }).count == 5)
    }

    @Test func memoryIsBoundedAndAllOfItIsWritten() throws {
        let bed = try TracedBed(.memory)
        for _ in 0..<2000 { _ = try bed.database["nobody"].revision() }
        // Most of it is there before anything is closed.
        let size = try #require(FileManager.default.attributesOfItem(atPath: bed.file.path)[.size] as? UInt64)
        #expect(size >= 1 << 16)
        #expect(try bed.lines().operations.filter { $0 == "get" }.count == 2000)
    }

    // MARK: - The file

    @Test func theFileIsItsOwnersAndNewlyMade() throws {
        let bed = try TracedBed(.memory)
        let mode = try FileManager.default.attributesOfItem(atPath: bed.file.path)[.posixPermissions] as? Int
        #expect(mode == 0o600)
        let directory = bed.folder.url.appending(path: "databases")
        expectError(.exists) { try Manager(directory: directory, options: .init(traceFile: bed.file)) }
        #expect(try bed.lines().operations == ["open", "close"])

        let target = bed.folder.url.appending(path: "target")
        let link = bed.folder.url.appending(path: "link")
        try FileManager.default.createSymbolicLink(at: link, withDestinationURL: target)
        expectError(.exists) { try Manager(directory: directory, options: .init(traceFile: link)) }
        try Data("text".utf8).write(to: target)
        expectError(.exists) { try Manager(directory: directory, options: .init(traceFile: link)) }
        #expect(try Data(contentsOf: target) == Data("text".utf8))

        let nowhere = bed.folder.url.appending(path: "no/folder/trace")
        expectError(.fileSystem) { try Manager(directory: directory, options: .init(traceFile: nowhere)) }
        let remote = try #require(URL(string: "https://example.org/trace"))
        expectError(.badParameter) { try Manager(directory: directory, options: .init(traceFile: remote)) }
    }

    @Test(arguments: Storage.every) func aFullDiskEndsTheTraceAndNothingElse(_ type: StorageType) throws {
        let folder = try TemporaryFolder()
        let full = open("/dev/full", O_WRONLY | O_CLOEXEC)
        try #require(full >= 0)
        let manager = try Manager(
            directory: folder.url,
            options: .init(storageType: type),
            engines: BuiltInEngines.all,
            modules: DatabaseModule.builtIn,
            makeRecorder: { TraceRecorder(descriptor: full) }
        )
        let database = try manager.database(named: "test", options: TestDatabase.options(type))
        for number in 0..<500 { try database["d\(number)"].put(["n": .int(Int64(number))]) }
        for number in 0..<500 { #expect(try database["d\(number)"].revision()?["n"] == .int(Int64(number))) }
        #expect(try database.documentCount == 500)
        #expect(try database.check().isEmpty)
        try manager.close()
    }
}
