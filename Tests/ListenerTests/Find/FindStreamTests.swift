internal import HTTPTypes
internal import NIOCore
internal import Settee
internal import SetteeDocumentValues
internal import SetteeQueries
internal import StorageProtocol
internal import Testing

@testable internal import SetteeListener

/// Long answers of `_find`.
@Suite(.timeLimit(.minutes(5))) struct FindStreamTests {
    private func fill(_ bed: ListenerBed, _ count: Int) throws {
        let database = try bed.database
        try database.inTransaction {
            for number in 0..<count {
                try database["d\(100_000 + number)"].put([
                    "n": JSONValue(number * 7_919 % count), "x": "0123456789012345678901",
                ])
            }
        }
    }

    @Test("long answers come in pieces, each row once, in the order", arguments: ListenerBed.types)
    func pieces(type: StorageType) async throws {
        try await withListener(type) { bed in
            try fill(bed, 3_000)
            try await bed.index(#"["n"]"#)
            for query in [#""sort":["n"]"#, #""sort":[{"n":"desc"}]"#, #""limit":3000"#] {
                let body = #"{"selector":{"n":{"$gte":0}},"limit":3000,\#(query)}"#
                let answer = await bed.answer(.post, "/db/_find", body)
                guard case .stream(_, let write) = answer.body else {
                    Issue.record("not a stream")
                    continue
                }
                let sink = CollectingSink()
                try await write(sink)
                #expect(sink.collected.1 < 128 << 10)
                let documents = try JSONValue(parsing: sink.bytes)["docs"]?.arrayValue ?? []
                #expect(documents.count == 3_000)
                let numbers = documents.compactMap { $0["n"]?.intValue }
                if query.hasPrefix(#""sort""#) {
                    #expect(numbers == (query.contains("desc") ? numbers.sorted(by: >) : numbers.sorted()))
                }
                #expect(Set(numbers).count == 3_000)
            }
        }
    }

    @Test("while documents change, rows that stay come once", arguments: ListenerBed.types)
    func changes(type: StorageType) async throws {
        try await withListener(type) { bed in
            try fill(bed, 2_000)
            try await bed.index(#"["n"]"#)
            let database = try bed.database
            let writer = Task {
                for number in 0..<200 {
                    try await bed.put("new\(number)", #"{"n":\#(number * 10).5}"#)
                    let document = database["d\(100_000 + number * 7)"]
                    if number % 2 == 0 { _ = try document.delete(parent: document.revision()?.id) }
                }
            }
            for query in [#","sort":["n"]"#, ""] {
                let ids = try await bed.found(#"{"selector":{"n":{"$gte":0}},"limit":9999\#(query)}"#)
                #expect(Set(ids).count == ids.count)
                let staying = (0..<2_000).filter { $0 % 14 != 0 }.map { JSONValue.string("d\(100_000 + $0)") }
                #expect(Set(staying).subtracting(ids).isEmpty)
            }
            try await writer.value
        }
    }

    @Test("so many changes that the index has to be updated in the middle do not end an answer")
    func longTail() async throws {
        try await withListener(.sqlite) { bed in
            try fill(bed, 2_000)
            try await bed.index(#"["n"]"#)
            let answer = await bed.answer(
                .post,
                "/db/_find",
                #"{"selector":{"n":{"$gte":0}},"limit":2000,"sort":["n"]}"#
            )
            guard case .stream(_, let write) = answer.body else {
                Issue.record("not a stream")
                return
            }
            let database = try bed.database
            try database.inTransaction { for number in 0..<10_500 { try database["e\(number)"].put(["m": 1]) } }
            let sink = CollectingSink()
            try await write(sink)
            #expect(try JSONValue(parsing: sink.bytes)["docs"]?.arrayValue?.count == 2_000)
        }
    }

    @Test("an index that is defined again in the middle ends the connection", arguments: ListenerBed.types)
    func redefined(type: StorageType) async throws {
        try await withListener(type) { bed in
            try fill(bed, 3_000)
            try await bed.index(#"["n"]"#, #","ddoc":"d","name":"i""#)
            let answer = await bed.answer(
                .post,
                "/db/_find",
                #"{"selector":{"n":{"$gte":0}},"limit":3000,"sort":["n"]}"#
            )
            guard case .stream(_, let write) = answer.body else {
                Issue.record("not a stream")
                return
            }
            try await bed.index(#"["x"]"#, #","ddoc":"d","name":"i""#)
            #expect(try await bed.found(#"{"selector":{"x":{"$gt":"0"}}}"#).count == 25)
            let sink = CollectingSink()
            await #expect(throws: StorageError.self) { try await write(sink) }
        }
    }

    @Test("rows that no index has in their order are sorted in slices", arguments: ListenerBed.types)
    func slices(type: StorageType) async throws {
        try await withListener(type) { bed in
            try fill(bed, 300)
            var query = try bed.database.find([:], sort: [.descending("n")], skip: 45)
            query.hints.prefersIndexes = true
            let all = try query.run().map(\.documentID)
            #expect(all.count == 255)
            for most in [1, 7, 45, 46, 300] {
                var cursor = try FindCursor(query)
                cursor.mostSorted = most
                var ids: [DocumentID] = []
                while case let rows = try cursor.next(atMost: 50), !rows.isEmpty { ids += rows.map(\.documentID) }
                #expect(ids == all, "\(most)")
            }
        }
    }

    @Test("nothing is read any more for a client that has gone")
    func gone() async throws {
        try await withListener(.sqlite) { bed in
            try fill(bed, 3_000)
            let json = Array(#"{"selector":{"n":{"$gte":0}},"limit":3000}"#.utf8)
            let body = BodyReader(isHeld: false) {}
            var head = HTTPRequest(method: .post, scheme: "http", authority: "127.0.0.1:5984", path: "/db/_find")
            head.headerFields[.contentType] = "application/json"
            _ = body.append(ByteBuffer(bytes: json))
            body.end()
            let answer = await bed.core.respond(ListenerRequest(head: head), body)
            guard case .stream(_, let write) = answer.body else {
                Issue.record("not a stream")
                return
            }
            body.clientGone()
            let sink = CollectingSink()
            await #expect(throws: StorageError.self) { try await write(sink) }
        }
    }
}
