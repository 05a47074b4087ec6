internal import Foundation
internal import InstructionCounter
internal import Settee

/// The measured paths on one engine.
struct HotPaths {
    private static let documents = 1000
    private static let singles = 100
    private static let batch = 500

    private static let missing = StorageError(.notFound, "What was written is not there.")

    private let database: Database
    private let type: StorageType
    private let bodies: [[UInt8]]

    init(_ type: StorageType, in folder: URL) throws {
        self.type = type
        // One thread, so that all that is counted belongs to the path.
        let options = DatabaseOptions(durability: .normal, compactionThreshold: nil, mappingThreads: 1)
        let manager = try Manager(directory: folder, options: .init(storageType: type))
        database = try manager.database(named: "counted-\(type)", options: options)
        bodies = (0..<HotPaths.documents).map { Array(HotPaths.text($0).utf8) }
    }

    /// 300 bytes, members in no order.
    private static func text(_ number: Int) -> String {
        let street = "\(100 + number * 7 % 900) Birch Street"
        let name = ["Moreau", "Quist", "Adeyemi"][number % 3] + String(repeating: "a", count: number % 5)
        let head = #"{"name":{"last":"\#(name)","first":"Dana"},"score":\#(number * 7919 % 1_000_003),"#
        let rest =
            #""balance":9435.84,"address":{"street":"\#(street)","city":"Ghent","zip":"94041"},"#
            + #""likes":["chess","rowing"],"note":""#
        return head + rest + String(repeating: "x", count: max(0, 298 - head.utf8.count - rest.utf8.count)) + "\"}"
    }

    private func id(_ number: Int) -> String { "d\(100_000 + number)" }

    /// Some document, each once in `documents` turns.
    private func some(_ turn: Int) -> Int { turn * 1237 % HotPaths.documents }

    /// Counts what `body` does. The result has the name of the engine, that of the path, and `operations`.
    private func count(_ path: String, _ operations: Int, _ body: () throws -> Void) rethrows {
        counter_begin()
        try body()
        counter_end("\(type) \(path) \(operations)")
    }

    /// The same for what changes nothing, three times: the least of the counts is taken, since other threads of the
    /// process are counted, too.
    private func countReads(_ path: String, _ operations: Int, _ body: () throws -> Void) rethrows {
        for _ in 0..<3 { try count(path, operations, body) }
    }

    private func inBatches(_ body: (Int) throws -> Void) throws {
        for first in stride(from: 0, to: HotPaths.documents, by: HotPaths.batch) {
            try database.inTransaction {
                for number in first..<first + HotPaths.batch { try body(number) }
            }
        }
    }

    func run() throws {
        try write()
        try read()
        try useView()
        try find()
        try count("delete", HotPaths.documents) { try inBatches { try database[id($0)].delete() } }
        try database.close()
    }

    private func write() throws {
        // What is done once: opening the writer's connection, preparing statements, tables of the collation.
        for name in ["first", "second"] { try database[name].put(json: bodies[0]) }
        try count("insert", HotPaths.documents) { try inBatches { try database[id($0)].put(json: bodies[$0]) } }
        try count("insert-single", HotPaths.singles) {
            for number in 0..<HotPaths.singles { try database["e\(100_000 + number)"].put(json: bodies[number]) }
        }
        var revisions: [RevisionID] = []
        for number in 0..<HotPaths.documents { revisions.append(try current(number)) }
        try count("update", HotPaths.documents) {
            try inBatches { number in
                let body = bodies[(number + 1) % bodies.count]
                try database[id(number)].put(json: body, parent: revisions[number])
            }
        }
    }

    private func current(_ number: Int) throws -> RevisionID {
        guard let revision = try database[id(number)].revision() else { throw HotPaths.missing }
        return revision.id
    }

    private func read() throws {
        var bytes = 0
        _ = try database[id(0)].json()
        try database.read { snapshot in
            try countReads("read-snapshot", HotPaths.documents) {
                for turn in 0..<HotPaths.documents { bytes += try snapshot.json(of: id(some(turn)))?.count ?? 0 }
            }
        }
        try countReads("read-single", HotPaths.documents) {
            for turn in 0..<HotPaths.documents { bytes += try database[id(some(turn))].json()?.count ?? 0 }
        }
        try database.read { snapshot in
            try countReads("scan", HotPaths.documents) {
                try snapshot.forEachDocument(DocumentQuery(includeBodies: true)) { (row) throws(StorageError) in
                    bytes += row.withBody { $0.byteCount }
                    return true
                }
            }
        }
        try countReads("changes", HotPaths.documents) {
            try database.changes(since: 0).forEach { bytes += Int($0.sequence) }
        }
        guard bytes > 0 else { throw HotPaths.missing }
    }

    private func useView() throws {
        let view = database.view("scores")
        try view.define(ViewDefinition(keys: [try JSONPointer("/score")]))
        try count("view-build", HotPaths.documents) { try view.updateIndex() }
        try inBatches { number in
            guard number % 20 == 0 else { return }
            try database[id(number)].put(json: bodies[(number + 2) % bodies.count], parent: try current(number))
        }
        try count("view-update", HotPaths.documents / 20) { try view.updateIndex() }
        var rows = 0
        try countReads("view-rows", HotPaths.documents) { try view.query().forEach { _ in rows += 1 } }
        guard rows >= HotPaths.documents else { throw HotPaths.missing }
    }

    private func find() throws {
        try database.createIndex("scores", on: [.ascending("score")])
        try database.updateIndex(named: "scores")
        let queries = try (0..<HotPaths.documents).map { number in
            try database.find(["score": .int(Int64(number * 7919 % 1_000_003))])
        }
        var bytes = 0
        for query in queries { bytes += try query.first()?.revision.json.count ?? 0 }
        try countReads("find-row", HotPaths.documents) {
            for turn in 0..<HotPaths.documents { bytes += try queries[some(turn)].first()?.revision.json.count ?? 0 }
        }
        // Ten ranges of a hundredth each, about.
        let ranges = (0..<10).map { ($0 * 100_000, $0 * 100_000 + 10_000) }
        var rows = 0
        for (first, end) in ranges { rows += try range(first, end).count() }
        try countReads("find-range", rows) {
            for (first, end) in ranges { try range(first, end).forEach { bytes += $0.revision.json.count } }
        }
        let view = database.view("scores")
        try countReads("view-range", rows) {
            for (first, end) in ranges {
                var query = view.query(startKey: .int(Int64(first)), endKey: .int(Int64(end)), includeDocs: true)
                query.inclusiveEnd = false
                try query.forEach { bytes += $0.documentRevision?.json.count ?? 0 }
            }
        }
        guard bytes > 0, rows > 0 else { throw HotPaths.missing }
    }

    private func range(_ first: Int, _ end: Int) throws -> FindQuery {
        try database.find(["score": ["$gte": .int(Int64(first)), "$lt": .int(Int64(end))]])
    }
}
