internal import HTTPTypes
internal import Settee
internal import SetteeDocumentValues
internal import StorageProtocol
internal import Testing

@testable internal import SetteeListener

/// Selectors that are large, deep or dear, and databases with keys.
@Suite(.timeLimit(.minutes(5))) struct HostileFindTests {
    @Test("100,000 values and a selector of 1 MiB are answered", arguments: ListenerBed.types)
    func large(type: StorageType) async throws {
        try await withPeople(type) { bed in
            let values = (0..<100_000).map { "\($0 * 2)" }.joined(separator: ",")
            let query = #"{"selector":{"n":{"$in":[\#(values)]}},"fields":["_id"],"limit":99}"#
            let texts = (0..<5300).map { "\"\(String(repeating: "x", count: 192))\($0)\"" }.joined(separator: ",")
            let long = #"{"selector":{"team":"a","n":{"$nin":[\#(texts)]}},"limit":99}"#
            #expect(long.utf8.count > 1_048_576)
            for isIndexed in [false, true] {
                if isIndexed { try await bed.index(#"["n"]"#) }
                #expect(try await bed.found(query).count == 15)
                #expect(try await bed.found(long).count == 10)
            }
            // One value has no place in the order.
            let text = String(repeating: "x", count: 1_048_576)
            let refused = try await bed.send(.post, "/db/_find", #"{"selector":{"n":"\#(text)"}}"#)
            #expect(refused.status == 400)
            #expect(try refused.object()["reason"]?.stringValue?.contains("$eq") == true)
        }
    }

    @Test("thousands of conditions are explained at once", arguments: ListenerBed.types)
    func many(type: StorageType) async throws {
        try await withPeople(type) { bed in
            let fields = (0..<9000).map { #""q\#($0)":\#($0)"# }.joined(separator: ",")
            let alternatives = (0..<400).map { number in
                #"{"$or":[\#((0..<9).map { #"{"f\#(number * 9 + $0)":\#(number)}"# }.joined(separator: ","))]}"#
            }
            for selector in ["{\(fields)}", #"{"$and":[\#(alternatives.joined(separator: ","))]}"#] {
                let began = ContinuousClock.now
                let reply = try await bed.send(.post, "/db/_explain", #"{"selector":\#(selector)}"#)
                #expect(reply.status == 200, "\(reply.text.prefix(200))")
                #expect(ContinuousClock.now - began < .seconds(10))
            }
        }
    }

    @Test("values may be nested 512 deep, and no deeper", arguments: ListenerBed.types)
    func deep(type: StorageType) async throws {
        try await withPeople(type) { bed in
            func query(_ depth: Int) -> String {
                // The body, the selector and the field's object are around it.
                let arrays = String(repeating: "[", count: depth - 3) + String(repeating: "]", count: depth - 3)
                return #"{"selector":{"n":{"$gt":\#(arrays)}}}"#
            }
            #expect(try await bed.found(query(512)).isEmpty)
            let refused = try await bed.send(.post, "/db/_find", query(513))
            #expect(refused.status == 400)
            #expect(try refused.object()["error"] == "bad_request")
            let reason = try refused.object()["reason"]?.stringValue ?? ""
            #expect(reason.contains("at byte 533: arrays and objects are nested more than 512 deep"), "\(reason)")
            let unclosed = try await bed.send(.post, "/db/_find", #"{"selector":{"n":}}"#)
            #expect(try unclosed.object()["reason"]?.stringValue?.contains("at byte 17: a value is expected") == true)
            func operators(_ count: Int) -> String {
                String(repeating: #"{"$not":"#, count: count) + #"{"n":1}"# + String(repeating: "}", count: count)
            }
            #expect(try await bed.found(#"{"selector":\#(operators(510))}"#).count == 1)
            let tooDeep = try await bed.send(.post, "/db/_find", #"{"selector":\#(operators(511))}"#)
            #expect(tooDeep.status == 400)
            #expect(
                try tooDeep.object()["reason"]?.stringValue?.contains(
                    "arrays and objects are nested more than 512 deep"
                )
                    == true,
                "\(tooDeep.text)"
            )
        }
    }

    @Test("a regular expression that explodes ends with a 400", arguments: ListenerBed.types)
    func exploding(type: StorageType) async throws {
        try await withPeople(type) { bed in
            try await bed.put("dear", #"{"s":"\#(String(repeating: "a", count: 5000))!"}"#)
            let reply = try await bed.send(.post, "/db/_find", #"{"selector":{"s":{"$regex":"^(a+)+$"}}}"#)
            #expect(reply.status == 400, "\(reply.text)")
            #expect(try await bed.found(#"{"selector":{"n":3}}"#) == ["p03"])
        }
    }

    @Test("an encrypted database is asked, also after it was opened again")
    func encrypted() async throws {
        let bytes: [UInt8] = (0..<32).map { 9 &+ $0 &* 7 }
        let key = try unsafe StorageKey(bytes: bytes.span.bytes)
        let bed = try ListenerBed(.sqlite, keys: DatabaseKeys(existing: key, new: key))
        #expect(try await bed.send(.put, "/secret").status == 201)
        for number in 0..<50 {
            let reply = try await bed.send(.put, "/secret/d\(number)", #"{"n":\#(number % 10)}"#)
            #expect(reply.status == 201)
        }
        func found() async throws -> [JSONValue] {
            let reply = try await bed.send(
                .post,
                "/secret/_find",
                #"{"selector":{"n":7},"sort":["n"],"fields":["_id"]}"#
            )
            return try reply.object()["docs"]?.arrayValue ?? []
        }
        #expect(try await bed.send(.post, "/secret/_index", #"{"index":{"fields":["n"]}}"#).status == 200)
        let rows: [JSONValue] = [7, 17, 27, 37, 47].map { ["_id": .string("d\($0)")] }.sorted { "\($0)" < "\($1)" }
        #expect(try await found().sorted { "\($0)" < "\($1)" } == rows)
        let database = try #require(try bed.manager.existingDatabase(named: "secret", options: .init(key: key)))
        #expect(try database.statistics().isEncrypted)
        try database.close()
        #expect(try await found().sorted { "\($0)" < "\($1)" } == rows)
        try bed.close()
    }
}
