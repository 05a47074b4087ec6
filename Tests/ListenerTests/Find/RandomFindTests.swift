internal import Foundation
internal import HTTPTypes
internal import SetteeDocumentValues
internal import StorageConformance
internal import StorageProtocol
internal import Testing

@testable internal import SetteeListener

/// Requests of any form to `_find`, `_explain` and `_index` never end the process, and are answered with what is wrong.
@Suite(.timeLimit(.minutes(5))) struct RandomFindTests {
    private static let rounds = ProcessInfo.processInfo.environment["SETTEE_STRESS"] == nil ? 2_000 : 10_000

    @Test("thousands of random queries, orders and indexes are answered, or refused with a reason")
    func random() async throws {
        try await withPeople(.memory) { bed in
            try await bed.index(#"["n","team"]"#, #","ddoc":"d","name":"i""#)
            var maker = RequestBodies(seed: 0xF1D)
            var (answered, refused) = (0, 0)
            for round in 0..<RandomFindTests.rounds {
                let path = ["_find", "_find", "_explain", "_index"][round % 4]
                let body = maker.body(ofIndex: path == "_index")
                let reply = try await bed.send(.post, "/db/" + path, body)
                let error = (try? reply.object())?["error"]?.stringValue
                if reply.status == 200 { answered += 1 } else { refused += 1 }
                #expect(
                    reply.status == 200 && error == nil || [400, 413, 501].contains(reply.status) && error != nil,
                    "\(path) \(body) \(reply.status) \(reply.text)"
                )
                if reply.status == 400 {
                    #expect(try reply.object()["reason"]?.stringValue?.isEmpty == false, "\(body)")
                    #expect(error != "unknown_error", "\(body)")
                }
            }
            // Both are tested.
            #expect(answered > 100)
            #expect(refused > 100)
        }
    }
}

/// Bodies that have more or less the form of a request.
private struct RequestBodies {
    private var generator: SeededGenerator

    init(seed: UInt64) { generator = SeededGenerator(seed: seed) }

    mutating func body(ofIndex: Bool) -> String {
        var object: JSONObject = [:]
        if ofIndex {
            var index: JSONObject = ["fields": likely { $0.order() }]
            if rarely { index["partial_filter_selector"] = likely { .object($0.selector(2)) } }
            object["index"] = rarely ? value(2) : .object(index)
            for name in ["ddoc", "name", "type", "partitioned", "w", "x"] where rarely { object[name] = value(1) }
        } else {
            object["selector"] = likely { .object($0.selector(3)) }
            if rarely { object["sort"] = likely { $0.order() } }
            if rarely { object["fields"] = likely { $0.order() } }
            for name in ["limit", "skip", "use_index", "bookmark", "conflicts", "execution_stats", "update", "x"]
            where rarely {
                object[name] = value(1)
            }
        }
        let text = JSONValue.object(object).description
        // Now and then it is no JSON.
        guard Int.random(in: 0..<50, using: &generator) == 0, let place = text.indices.randomElement(using: &generator)
        else {
            return text
        }
        return String(text[..<place])
    }

    private var rarely: Bool { mutating get { Int.random(in: 0..<5, using: &generator) == 0 } }

    private mutating func likely(_ make: (inout RequestBodies) -> JSONValue) -> JSONValue {
        Int.random(in: 0..<10, using: &generator) == 0 ? value(2) : make(&self)
    }

    private mutating func pick<T>(_ some: [T]) -> T { some[Int.random(in: 0..<some.count, using: &generator)] }

    private mutating func name() -> String {
        pick(["n", "team", "age", "at.x", "_id", "_rev", "", ".", "a..b", "$n", "\\$n", "at.0", "\u{0}", "é", "x.y.z"])
    }

    private mutating func order() -> JSONValue {
        .array(
            (0..<Int.random(in: 0..<3, using: &generator)).map { _ in
                rarely ? .object(JSONObject([(name(), pick(["asc", "desc", "up", 1]))])) : .string(name())
            }
        )
    }

    private mutating func selector(_ depth: Int) -> JSONObject {
        JSONObject(
            (0..<Int.random(in: 0..<3, using: &generator)).map { _ in
                guard depth > 0, rarely else { return (name(), condition(depth)) }
                let parts = (0..<Int.random(in: 0..<3, using: &generator)).map { _ in
                    JSONValue.object(selector(depth - 1))
                }
                return (
                    pick(["$and", "$or", "$nor", "$not", "$no"]), rarely ? .object(selector(depth - 1)) : .array(parts)
                )
            }
        )
    }

    private mutating func condition(_ depth: Int) -> JSONValue {
        guard !rarely else { return value(depth) }
        let operation = pick([
            "$eq", "$ne", "$lt", "$lte", "$gt", "$gte", "$in", "$nin", "$exists", "$type", "$all", "$size",
            "$elemMatch",
            "$allMatch", "$keyMapMatch", "$mod", "$regex", "$beginsWith", "$where", "$x",
        ])
        let argument: JSONValue = rarely ? value(depth) : pick([true, 1, "a", [1, "a"], ["$gt": 1], [3, 1], "("])
        return .object(JSONObject([(operation, argument)]))
    }

    private mutating func value(_ depth: Int) -> JSONValue {
        switch Int.random(in: 0..<(depth > 0 ? 9 : 7), using: &generator) {
        case 0: .null
        case 1: .bool(.random(using: &generator))
        case 2: .int(.random(in: -3...30, using: &generator))
        case 3: .double(.random(in: -2...2, using: &generator))
        case 4: .string(name())
        case 5: pick([.int(.max), .int(.min), 1e300, "d", "nil", "json", "ok"])
        case 6: .string(pick(["_design/d", "d/i", "AQ", "Zm9v", "true"]))
        case 7: .array((0..<Int.random(in: 0..<3, using: &generator)).map { _ in value(depth - 1) })
        default: .object(selector(depth - 1))
        }
    }
}
