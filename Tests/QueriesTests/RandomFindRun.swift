import Foundation
import Settee
import SetteeDocumentValues
import SetteeEngine
import SetteeQueries
import SetteeSelectorSupport
import StorageConformance
import StorageProtocol

/// Random documents, indexes and queries, compared with a plain evaluation of all documents, under every plan.
struct RandomFindRun {
    private static let names = ["a", "b", "c", "doc1", "doc2", "x/y", "\u{E9}", "e\u{301}", "Z", "0", "-", "~"]

    let database: Database
    let seed: UInt64
    var maker: SelectorMaker
    /// What the database should have.
    var model = PlainDocuments()
    var steps: [String] = []
    private var counter = 0
    private(set) var compared = 0
    private(set) var found = 0
    private(set) var plans = 0
    private(set) var intersections = 0

    init(_ database: Database, seed: UInt64) {
        self.database = database
        self.seed = seed
        maker = SelectorMaker(generator: SeededGenerator(seed: seed))
    }

    mutating func run(rounds: Int) throws {
        do {
            for _ in 0..<rounds {
                for _ in 0..<maker.generator.below(6) { try change() }
                if maker.generator.chance(1, in: 4) { try changeIndexes() }
                switch maker.generator.below(6) {
                case 0:
                    try database.inTransaction {
                        try changeInside()
                        try compare()
                    }
                case 1: try database.read { _ in try compare() }
                default: try compare()
                }
            }
        } catch {
            throw FindDifference(
                description: "seed \(seed), after\n" + steps.suffix(60).map { "  \($0)\n" }.joined() + "\(error)"
            )
        }
    }

    /// Compares while another process writes: each time within one snapshot, whose documents are read plainly.
    ///
    /// Indexes come and go here and there, so that one may be gone already, or belong to another definition.
    mutating func runBesideWriter(while isRunning: () -> Bool) throws {
        do {
            while isRunning() {
                if maker.generator.chance(1, in: 4) {
                    do throws(StorageError) {
                        try changeIndexes()
                    } catch {
                        guard error.code == .notFound else { throw error }
                    }
                }
                try database.read { snapshot in
                    model = try PlainDocuments(snapshot)
                    try compare()
                }
                // Such a query may bring indexes up to date, and reads a state of its own.
                try expectPairs()
            }
        } catch {
            throw FindDifference(description: "seed \(seed), after\n\(steps.suffix(10))\n\(error)")
        }
    }

    /// As many documents in one of these states; each commit of `changePair` keeps that.
    static let pairs = 20

    /// Two documents change places in one transaction.
    mutating func changePair() throws {
        let number = maker.generator.below(RandomFindRun.pairs)
        let isSwapped = maker.generator.chance(1, in: 2)
        try database.inTransaction {
            try database["p\(number)"].update { $0 = ["side": isSwapped ? "x" : "y"] }
            try database["q\(number)"].update { $0 = ["side": isSwapped ? "y" : "x"] }
        }
        for id in ["p\(number)", "q\(number)"] {
            model.bodies[Array(id.utf8)] = try database[DocumentID(id)].revision()?.properties
        }
    }

    private mutating func expectPairs() throws {
        var query = try database.find(["side": "x"])
        for plan in [nil] + (0..<(try database.planCount(of: query))).map({ Optional($0) }) {
            query.forced = plan
            let (count, rows) = (try query.count(), try query.run().count)
            guard count == rows, rows == RandomFindRun.pairs else {
                throw FindDifference(description: "\(count), \(rows) of the pairs, plan \(String(describing: plan))")
            }
        }
        plans += 1
    }

    mutating func changeInside() throws { for _ in 0..<maker.generator.below(4) { try change() } }

    mutating func change() throws {
        let id = maker.generator.chance(1, in: 3) ? maker.pick(RandomFindRun.names) : "n\(maker.generator.below(40))"
        switch maker.generator.below(9) {
        case 8 where model.bodies[Array(id.utf8)] != nil:
            // In one transaction, so that the timer does not come between.
            try database.inTransaction {
                try database[DocumentID(id)].setExpiration(Date(timeIntervalSinceNow: -1))
                _ = try database.purgeExpiredDocuments()
            }
            steps.append("expire \(id)")
        case 0 where model.bodies[Array(id.utf8)] != nil:
            try database[DocumentID(id)].delete()
            steps.append("delete \(id)")
        case 1 where model.bodies[Array(id.utf8)] != nil:
            try database[DocumentID(id)].purge()
            steps.append("purge \(id)")
        case let number:
            var body = maker.document()
            if maker.generator.chance(1, in: 3) { body["type"] = .string(maker.pick(["a", "b"])) }
            if maker.generator.chance(1, in: 200) {
                body["a"] = .array(Array(repeating: .string(String(repeating: "\u{6F22}", count: 200)), count: 2000))
            }
            body = JSONObject(body.filter { $0.key.first != "_" }.map { ($0.key, $0.value) })
            if number == 2 {
                let generation = maker.generator.below(4) + 1
                let digits = String(repeating: maker.pick(["a", "b", "e", "f"]), count: 32)
                let history = try RevisionID("\(generation)-\(digits)")
                let isDeleted = maker.generator.chance(1, in: 4)
                try database[DocumentID(id)].forceInsert(
                    isDeleted ? [:] : body,
                    history: [history],
                    isDeleted: isDeleted
                )
                steps.append("conflict \(history)")
            } else {
                try database[DocumentID(id)].update { $0 = body }
            }
            steps.append("put \(id) \(JSONValue.object(body).description.prefix(300))")
        }
        if let revision = try database[DocumentID(id)].revision(), !revision.isDeleted {
            model.bodies[Array(id.utf8)] = try revision.properties
        } else {
            model.bodies[Array(id.utf8)] = nil
        }
    }

    mutating func changeIndexes() throws(StorageError) {
        counter += 1
        if maker.generator.chance(1, in: 2),
            let index = try database.indexes().first(where: { _ in maker.generator.chance(1, in: 2) })
        {
            try database.updateIndex(named: index.name)
            steps.append("update index \(index.name)")
            return
        }
        let name = maker.pick(["i", "j", "k", "l"])
        if maker.generator.chance(1, in: 4) {
            try database.removeIndex(name)
            steps.append("remove index \(name)")
            return
        }
        var fields: [FindOrder] = []
        for _ in 0...(maker.generator.chance(1, in: 2) ? 0 : maker.generator.below(3)) {
            let field = maker.pick(["a", "b", "c", "a.b", "b.0", "type", "0", "_id"])
            if !fields.contains(where: { $0.field == field }) {
                fields.append(FindOrder(field, descending: maker.generator.chance(1, in: 3)))
            }
        }
        var condition: JSONObject?
        if maker.generator.chance(1, in: 3) { condition = maker.selector(2).objectValue }
        try database.createIndex(name, on: fields, where: condition)
        steps.append("index \(name) \(JSONValue.object(ValueIndexDefinition(fields, where: condition).json))")
    }

    private mutating func compare() throws {
        var selector = maker.selector(maker.generator.below(4)).objectValue ?? [:]
        if maker.generator.chance(1, in: 3) {
            let field = maker.pick(["a", "b", "c"])
            selector = JSONObject([
                (field, .object(JSONObject([(maker.pick(["$gt", "$lt", "$gte", "$lte", "$ne"]), maker.value(1))])))
            ])
            if maker.generator.chance(1, in: 2) { selector = ["$or": [.object(selector), maker.selector(1)]] }
        }
        if maker.generator.chance(1, in: 3) {
            selector = ["$and": .array([.object(selector), ["type": .string(maker.pick(["a", "b"]))]])]
        }
        if maker.generator.chance(1, in: 2) {
            let field = maker.pick(["a", "b", "c"])
            let condition = JSONValue.object(JSONObject([(maker.pick(["$gte", "$lte", "$ne"]), maker.value(1))]))
            selector = ["$and": [.object(selector), .object(JSONObject([(field, condition)]))]]
        }
        var sort: [FindOrder] = []
        if maker.generator.chance(1, in: 2) {
            for _ in 0...maker.generator.below(2) {
                let field = maker.pick(["a", "b", "c", "a.b", "type", "_id"])
                if !sort.contains(where: { $0.field == field }) {
                    sort.append(FindOrder(field, descending: maker.generator.chance(1, in: 2)))
                }
            }
        }
        let limit = maker.generator.chance(1, in: 3) ? maker.generator.below(6) : nil
        let skip = maker.generator.chance(1, in: 4) ? maker.generator.below(4) : 0
        steps.append(
            "find \(JSONValue.object(selector)) sort \(sort.map { ($0.descending ? "-" : "") + $0.field })"
                + " limit \(limit.map(String.init) ?? "-") skip \(skip)"
        )
        let all = try model.ids(selector, sort)
        let wanted = Array(all.dropFirst(skip).prefix(limit ?? Int.max))
        var query = try database.find(selector, sort: sort, limit: limit, skip: skip)
        let count = try database.planCount(of: query)
        for plan in [nil] + (0..<count).map({ Optional($0) }) {
            query.forced = plan
            query.hints.mostIDs = maker.generator.chance(1, in: 2) ? 2 : 1 << 16
            if try query.explain().json["access"]?["kind"] == "intersection" { intersections += 1 }
            let rows = try query.run().map(\.documentID.string)
            try check(rows, wanted, all, sort, plan, "run", query)
            if try query.count() != wanted.count {
                throw FindDifference(description: "count differs, plan \(plan.map(String.init) ?? "-")")
            }
            if maker.generator.chance(1, in: 4) {
                var paged: [String] = []
                var cursor = try FindCursor(query)
                while true {
                    let page = try cursor.next(nil, atMost: 2)
                    if page.isEmpty { break }
                    paged += page.map(\.documentID.string)
                }
                try check(paged, wanted, all, sort, plan, "pages", query)
            }
            if limit == nil, skip == 0, maker.generator.chance(1, in: 4) {
                var paged: [String] = []
                var position: FindPosition?
                while true {
                    var cursor = try FindCursor(query, behind: position)
                    let page = try cursor.next(nil, atMost: 3)
                    if page.isEmpty { break }
                    position = cursor.position
                    paged += page.map(\.documentID.string)
                }
                try check(paged, wanted, all, sort, plan, "bookmarks", query)
            }
            plans += 1
        }
        compared += 1
        if !wanted.isEmpty { found += 1 }
    }

    private func check(
        _ rows: [String],
        _ wanted: [String],
        _ all: [String],
        _ sort: [FindOrder],
        _ plan: Int?,
        _ what: String,
        _ query: FindQuery
    ) throws {
        func bytes(_ ids: [String]) -> [[UInt8]] { ids.map { Array($0.utf8) } }
        let isEqual: Bool
        let explanation = (try? query.explain().description) ?? ""
        if sort.isEmpty {
            // Any of them, each once.
            isEqual =
                rows.count == wanted.count && Set(bytes(rows)).count == rows.count
                && Set(bytes(rows)).isSubset(of: bytes(all))
        } else {
            isEqual = bytes(rows) == bytes(wanted)
        }
        guard isEqual else {
            throw FindDifference(
                description: "\(what), plan \(plan.map(String.init) ?? "-"): \(rows), not \(wanted)\n"
                    + explanation + "\n"
                    + Set(bytes(rows)).symmetricDifference(Set(bytes(wanted))).map {
                        "\(String(decoding: $0, as: UTF8.self)): \(JSONValue.object(model.bodies[$0] ?? [:]))"
                    }.joined(separator: "\n")
            )
        }
    }
}
