import Foundation
import Settee
import SetteeTestSupport
import StorageConformance
import Testing

/// Random changes of documents and views, and random queries, each compared with what is computed from all documents.
struct RandomViewRun {
    static let ids = ["a", "b", "c", "d", "e", "f", "g", "h"]
    private static let letters = ["", "a", "ab", "abc", "b", "ba", "c"]

    let bed: TestDatabase
    let seed: UInt64
    private var generator: SeededGenerator
    var step = 0
    /// Changed whenever an index has to be rebuilt.
    private var version = 0
    /// How many rows were compared.
    var compared = 0

    init(_ bed: TestDatabase, seed: UInt64) throws {
        self.bed = bed
        self.seed = seed
        generator = SeededGenerator(seed: seed)
        try setMaps(bed.database)
    }

    // MARK: - Views

    /// One row for each element of `ks`, and one that depends on conflicts.
    private static func emitted(_ body: (String) -> JSONValue?, conflicts: Int) -> [(JSONValue, JSONValue?)] {
        var rows: [(JSONValue, JSONValue?)] = []
        for key in body("ks")?.arrayValue ?? [] { rows.append((key, body("v"))) }
        if conflicts > 0 { rows.append((["conflicts", JSONValue(conflicts)], nil)) }
        return rows
    }

    func setMaps(_ database: Database) throws {
        let map: @Sendable (MapDocument, MapEmitter) throws -> Void = { document, emit in
            let rows = RandomViewRun.emitted({ document[$0] }, conflicts: document.conflicts.count)
            for (key, value) in rows { emit(key, value) }
            // What it emitted before is discarded.
            if document["throws"] == true { throw ApplicationError() }
        }
        try database.view("all").setMap(version: "\(version)", reduce: .count, map)
        try database.view("raw").setMap(version: "\(version)", collation: .raw, reduce: .count, map)
        try database.view("typed").setMap(version: "\(version)", documentType: "t", reduce: .count, map)
        if database.isReadOnly { return }
        var definition = ViewDefinition(keys: [try JSONPointer("/v"), try JSONPointer("/n")])
        definition.value = try JSONPointer("/ks")
        definition.conditions = try ViewDefinition.conditions(parsing: "/n >= 2 and /n != 4")
        if version % 2 == 1 { definition.documentType = "t" }
        definition.reduce = "_count"
        try database.view("defined").define(definition)
    }

    var views: [(name: String, view: NaiveView)] {
        let isTyped = version % 2 == 1
        func all(_ source: NaiveView.Source) -> [(JSONValue, JSONValue?)] {
            if source.body["throws"] == true { return [] }
            return RandomViewRun.emitted({ source.body[$0] }, conflicts: source.conflicts)
        }
        return [
            ("all", NaiveView(isRaw: false, map: all)), ("raw", NaiveView(isRaw: true, map: all)),
            ("typed", NaiveView(isRaw: false) { $0.body["type"] == "t" ? all($0) : [] }),
            (
                "defined",
                NaiveView(isRaw: false) { source in
                    guard let n = source.body["n"]?.intValue, n >= 2, n != 4 else { return [] }
                    if isTyped, source.body["type"] != "t" { return [] }
                    return [([source.body["v"] ?? .null, JSONValue(n)], source.body["ks"])]
                }
            ),
        ]
    }

    // MARK: - Steps

    mutating func run(steps: Int) throws {
        for _ in 0..<steps {
            step += 1
            try perform()
            if random(3) == 0 { try compare(bed.database) }
            if random(6) == 0 { try check() }
        }
        try compare(bed.database)
        try check()
    }

    private mutating func perform() throws {
        switch random(24) {
        case 0:
            try bed.reopen()
            try setMaps(bed.database)
        case 1:
            version += 1
            try setMaps(bed.database)
        case 2: try bed.view(views[random(4)].name).deleteIndex()
        case 3..<6: try bed.view(views[random(4)].name).updateIndex()
        case 6: try bed.database.updateIndexes(of: views.map(\.name))
        case 7: if random(4) == 0 { try bed.database.compact() }
        case 8: try compareReadOnly()
        case 9..<12: try transaction()
        default: try change()
        }
    }

    /// Several changes, with views in between; half of the time everything is rolled back.
    private mutating func transaction() throws {
        let fails = random(2) == 0
        var run = self
        do {
            try bed.database.inTransaction {
                for _ in 0..<1 + run.random(4) {
                    try run.change()
                    if run.random(3) == 0 { try run.bed.view(run.views[run.random(4)].name).updateIndex() }
                    if run.random(3) == 0 { try run.compare(run.bed.database) }
                }
                if fails { throw ApplicationError(number: 1) }
            }
        } catch is ApplicationError {}
        self = run
    }

    private mutating func change() throws {
        let document = bed.database[RandomViewRun.ids[random(RandomViewRun.ids.count)]]
        let current = try document.revision()
        switch random(12) {
        case 0..<5: try document.put(body(), parent: current?.id)
        case 5: if let current, !current.isDeleted { try document.delete() }
        case 6: try document.purge()
        case 7:
            guard current != nil else { return }
            try document.setExpiration(Date(timeIntervalSince1970: 1))
            try bed.database.purgeExpiredDocuments()
        case 8, 9:
            let generation = 1 + random(5)
            var history = [try RevisionID("\(generation)-f\(random(6))")]
            if let current, current.id.generation < UInt64(generation) { history.append(current.id) }
            guard history.count == 1 || history[0].generation == history[1].generation + 1 else { return }
            try document.forceInsert(body(), history: history, isDeleted: random(4) == 0)
        case 10:
            let leaves = try document.conflictingRevisions()
            guard leaves.count > 1 else { return }
            try document.resolveConflict(keeping: leaves[random(leaves.count)].id)
        default:
            let leaves = try document.leafRevisions()
            if !leaves.isEmpty { try document.purge(revisions: [leaves[random(leaves.count)].id]) }
        }
    }

    private mutating func body() -> JSONObject {
        var body: JSONObject = [:]
        if random(3) > 0 { body["n"] = JSONValue(random(6)) }
        if random(3) > 0 { body["v"] = key(depth: 0) }
        if random(5) > 0 { body["ks"] = .array((0..<random(4)).map { _ in key(depth: 2) }) }
        if random(2) > 0 { body["type"] = random(3) > 0 ? "t" : "u" }
        if random(12) == 0 { body["throws"] = true }
        return body
    }

    mutating func key(depth: Int) -> JSONValue {
        switch random(depth > 0 ? 10 : 7) {
        case 0: return .null
        case 1: return .bool(random(2) == 0)
        case 2, 3: return random(3) == 0 ? 0.5 : JSONValue(random(4) - 1)
        case 4..<7: return .string(RandomViewRun.letters[random(RandomViewRun.letters.count)])
        case 7, 8: return .array((0..<random(4)).map { _ in key(depth: depth - 1) })
        default: return .object(JSONObject((0..<random(3)).map { ("\("ab".prefix(1 + $0))", key(depth: 0)) }))
        }
    }

    mutating func random(_ count: Int) -> Int { Int(generator.next() % UInt64(count)) }

    /// Each index holds what one that is built from scratch would hold.
    private func check() throws {
        let problems = try bed.database.check().map(\.description)
        try require(problems.isEmpty, "the check says \(problems)")
    }
}
