internal import HTTPTypes
internal import Settee
internal import SetteeDocumentValues
internal import SetteeQueries
internal import StorageConformance
internal import StorageProtocol
internal import Testing

@testable internal import SetteeListener

/// Bookmarks of `_find`: where a page ended, whatever has changed since, and nothing that a client could do harm with.
@Suite(.timeLimit(.minutes(5))) struct FindBookmarkTests {
    @Test("a bookmark goes on behind its row, though documents have changed", arguments: ListenerBed.types)
    func changes(type: StorageType) async throws {
        try await withPeople(type) { bed in
            try await bed.index(#"["team","n"]"#)
            for query in [#""selector":{"team":{"$gt":null}},"sort":["team","n"]"#, #""selector":{}"#] {
                let first = try await bed.find("{\(query),\"limit\":5}")
                let all = try await bed.found("{\(query),\"limit\":99}")
                let bookmark = first["bookmark"]?.stringValue ?? ""
                let last = try #require(all[4].stringValue)
                let revision = try await bed.send(.get, "/db/\(last)").object()["_rev"]?.stringValue ?? ""
                #expect(try await bed.send(.delete, "/db/\(last)?rev=\(revision)").status == 200)
                let body = #"{"team":"b","n":-1}"#
                try await bed.put("a\(last)", body)
                let rest = try await bed.found("{\(query),\"limit\":99,\"bookmark\":\"\(bookmark)\"}")
                #expect(rest.filter { $0 != .string("a\(last)") } == Array(all[5...]), "\(query)")
            }
        }
    }

    @Test("a bookmark of another order, or of an index that is gone, is refused", arguments: ListenerBed.types)
    func foreign(type: StorageType) async throws {
        try await withPeople(type) { bed in
            try await bed.index(#"["n"]"#, #","ddoc":"d","name":"n""#)
            try await bed.index(#"["team"]"#, #","ddoc":"d","name":"team""#)
            let byIndex = try await bed.find(#"{"selector":{"n":{"$gt":1}},"limit":1}"#)["bookmark"]?.stringValue ?? ""
            let byID = try await bed.find(#"{"selector":{"at":{"$gt":1}},"limit":1}"#)["bookmark"]?.stringValue ?? ""
            let byOrder = try await bed.find(#"{"selector":{},"sort":["n"],"limit":1}"#)["bookmark"]?.stringValue ?? ""
            let refusals = [
                (#""selector":{"at":{"$gt":1}}"#, byIndex), (#""selector":{},"sort":["team"]"#, byID),
                (#""selector":{},"sort":["team"]"#, byOrder), (#""selector":{"n":{"$gt":1}}"#, byOrder),
            ]
            for (query, bookmark) in refusals {
                try await bed.expectRefusal("_find", "{\(query),\"bookmark\":\"\(bookmark)\"}", 400, "invalid_bookmark")
            }
            let query = #"{"selector":{"n":{"$gt":1}},"bookmark":"\#(byIndex)"}"#
            #expect(try await bed.found(query).count == 25)
            try await bed.index(#"["n","team"]"#, #","ddoc":"d","name":"n""#)
            try await bed.expectRefusal("_find", query, 400, "invalid_bookmark")
            #expect(try await bed.send(.delete, "/db/_index/d/json/n").status == 200)
            try await bed.expectRefusal("_find", query, 400, "invalid_bookmark")
        }
    }

    @Test("a bookmark takes a sort key of several large fields", arguments: ListenerBed.types)
    func largeKeys(type: StorageType) async throws {
        try await withListener(type) { bed in
            let database = try bed.database
            let text = String(repeating: "z", count: 700_000)
            for number in 0..<4 {
                try database["d\(number)"].put(["a": .string(text), "b": .string(text + String(number))])
            }
            try await bed.index(#"["a","b"]"#)
            let query = #""selector":{"a":{"$gt":"y"}},"sort":["a","b"],"fields":["_id"]"#
            let first = try await bed.find("{\(query),\"limit\":2}")
            let bookmark = try #require(first["bookmark"]?.stringValue)
            #expect(try await bed.found("{\(query),\"bookmark\":\"\(bookmark)\"}") == ["d2", "d3"])
        }
    }

    @Test("bytes of any kind as a bookmark are a page or a 400", arguments: ListenerBed.types)
    func random(type: StorageType) async throws {
        try await withPeople(type) { bed in
            try await bed.index(#"["n"]"#)
            let queries = [#""selector":{"n":{"$gt":1}}"#, #""selector":{}"#, #""selector":{},"sort":[{"n":"desc"}]"#]
            var generator = SeededGenerator(seed: 0xB00C)
            for query in queries {
                let answer = try await bed.find("{\(query),\"limit\":3}")
                let bytes = try #require(Base64URL.decode((answer["bookmark"]?.stringValue ?? "").utf8))
                for _ in 0..<(type == .memory ? 1_000 : 150) {
                    var changed = bytes
                    for _ in 0..<Int.random(in: 1...3, using: &generator) {
                        switch Int.random(in: 0..<4, using: &generator) {
                        case 0: changed = Array(changed.prefix(Int.random(in: 0...bytes.count, using: &generator)))
                        case 1: changed.append(.random(in: 0...255, using: &generator))
                        default:
                            guard let place = changed.indices.randomElement(using: &generator) else { continue }
                            changed[place] = .random(in: 0...255, using: &generator)
                        }
                    }
                    let text = Base64URL.encode(changed)
                    let reply = try await bed.send(.post, "/db/_find", "{\(query),\"bookmark\":\"\(text)\"}")
                    #expect(
                        reply.status == 200 || reply.text.contains(#""error":"invalid_bookmark""#),
                        "\(text) \(reply.text)"
                    )
                }
            }
        }
    }

    @Test("keys of any length are a place to begin", arguments: ListenerBed.types)
    func longKeys(type: StorageType) async throws {
        try await withPeople(type) { bed in
            try await bed.index(#"["n"]"#, #","ddoc":"d","name":"n""#)
            let index = try #require(try bed.database.definedIndexes().first)
            for count in [0, 1, 400, 511, 512, 2_000, 100_000, 1 << 20] {
                for backward in [false, true] {
                    let position = FindPosition(key: Array(repeating: 0x90, count: count), id: Array("p".utf8))
                    let route = FindRoute.byIndex(index.name, index.definition, backward: backward)
                    let sort: [FindOrder] = backward ? [.descending("n")] : []
                    let text = FindBookmark(route: route, position: position).text(sort)
                    let order = backward ? #","sort":[{"n":"desc"}]"# : ""
                    let query = #"{"selector":{"n":{"$gte":0}},"bookmark":"\#(text)"\#(order)}"#
                    let reply = try await bed.send(.post, "/db/_find", query)
                    #expect(reply.status == 200, "\(count) \(reply.text.prefix(200))")
                }
            }
        }
    }
}
