internal import Foundation
internal import HTTPTypes
internal import NIOCore
internal import Settee
internal import SetteeDocumentValues
internal import Testing

@testable internal import SetteeListener

/// `_bulk_docs` with bodies that are written while they come.
@Suite(.timeLimit(.minutes(5))) struct BulkStreamTests {
    private static let filler = String(repeating: "x", count: 10_000)

    private func documents(_ range: Range<Int>, revision: String = "") -> String {
        range.map { #"{"_id":"d\#($0)"\#(revision),"x":"\#(BulkStreamTests.filler)"}"# }.joined(separator: ",")
    }

    private func send(_ bed: ListenerBed, _ body: BodyReader) async throws -> Reply {
        var head = HTTPRequest(method: .post, scheme: "http", authority: "127.0.0.1:5984", path: "/db/_bulk_docs")
        head.headerFields[.contentType] = "application/json"
        return try await bed.core.respond(ListenerRequest(head: head), body).collected()
    }

    @Test("a long body is written before it has ended, and keeps its order", arguments: ListenerBed.types)
    func long(type: StorageType) async throws {
        try await withListener(type) { bed in
            let database = try bed.database
            let body = BodyReader(isHeld: false) {}
            async let reply = send(bed, body)
            _ = body.append(ByteBuffer(string: #"{"new_edits":true,"docs":["# + documents(0..<1_000)))
            try await eventually { try database.documentCount > 0 }
            _ = body.append(ByteBuffer(string: "," + documents(1_000..<1_100) + "]}"))
            body.end()
            let rows = try await reply.rows()
            #expect(rows.map { $0["id"]?.stringValue } == (0..<1_100).map { "d\($0)" })
            #expect(rows.allSatisfy { $0["ok"]?.boolValue == true })
            #expect(try database.documentCount == 1_100)
        }
    }

    @Test("a long body that breaks off leaves what was written; a short one nothing", arguments: ListenerBed.types)
    func brokenOff(type: StorageType) async throws {
        try await withListener(type) { bed in
            let database = try bed.database
            for (count, isShort) in [(100, true), (1_000, false)] {
                let body = BodyReader(isHeld: false) {}
                _ = body.append(ByteBuffer(string: #"{"new_edits":true,"docs":["# + documents(0..<count)))
                body.end(.incompleteBody)
                #expect(try await send(bed, body).status == 400)
                #expect(try (database.documentCount == 0) == isShort)
            }
            // Each document is whole.
            let listed = try await bed.send(.get, "/db/_all_docs?include_docs=true").rows("rows")
            #expect(listed.allSatisfy { $0["doc"]?.objectValue?["x"]?.stringValue == BulkStreamTests.filler })
        }
    }

    @Test("once a long body is being written, what cannot be a document is an error of its own")
    func noDocument() async throws {
        try await withListener(.memory) { bed in
            let body = #"{"new_edits":true,"docs":[\#(documents(0..<500)),{"_id":"x","_zing":1}]}"#
            let reply = try await bed.send(.post, "/db/_bulk_docs", body)
            #expect(reply.status == 201)
            let last = try #require(try reply.rows().last)
            #expect(last["id"] == "x" && last["error"] == "doc_validation" && last["status"] == 400)
            #expect(try bed.database.documentCount == 500)
        }
    }

    @Test("new_edits may come behind the documents", arguments: ListenerBed.types)
    func optionsLast(type: StorageType) async throws {
        try await withListener(type) { bed in
            let documents = documents(0..<1_000, revision: #","_rev":"3-abc""#)
            let reply = try await bed.send(.post, "/db/_bulk_docs", #"{"docs":[\#(documents)],"new_edits":false}"#)
            #expect(reply.text == "[]\n")
            #expect(try await bed.send(.get, "/db/d999").object()["_rev"]?.stringValue == "3-abc")
        }
    }

    @Test("so many documents are not kept until new_edits comes: 413, and nothing is written")
    func tooManyToKeep() async throws {
        var options = ListenerOptions()
        options.bulkBytes = 5 << 20
        try await withListener(.memory, options: options) { bed in
            let body = BodyReader(isHeld: false) {}
            _ = body.append(ByteBuffer(string: #"{"docs":["#))
            for number in 0..<10 {
                let some = documents(number * 100..<(number + 1) * 100)
                _ = body.append(ByteBuffer(string: (number > 0 ? "," : "") + some))
            }
            _ = body.append(ByteBuffer(string: #"],"new_edits":true}"#))
            body.end()
            let refused = try await send(bed, body)
            #expect(refused.status == 413)
            #expect(try refused.object()["reason"]?.stringValue?.contains("new_edits") == true)
            #expect(try bed.database.documentCount == 0)
            let all = #"{"new_edits":true,"docs":[\#(documents(0..<1_000))]}"#
            let taken = try await bed.send(.post, "/db/_bulk_docs", all)
            #expect(taken.status == 201)
            #expect(try bed.database.documentCount == 1_000)
        }
    }

    @Test("a document may be too long: 413")
    func longDocument() async throws {
        var options = ListenerOptions()
        options.documentBytes = 5_000
        try await withListener(.memory, options: options) { bed in
            let refused = try await bed.send(.post, "/db/_bulk_docs", #"{"docs":[\#(documents(0..<1))]}"#)
            #expect(refused.status == 413)
            #expect(try bed.database.documentCount == 0)
        }
    }

    @Test("design documents of a user who may not write them are refused one by one")
    func designDocuments() async throws {
        let access = AccessConfiguration(users: .table(["ida": .init(password: "a long secret", roles: ["writer"])]))
        try await withListener(.memory, access: access) { bed in
            let login = "Basic " + Data("ida:a long secret".utf8).base64EncodedString()
            let reply = try await bed.send(
                .post,
                "/db/_bulk_docs",
                #"{"docs":[{"_id":"a"},{"_id":"_design/d"}]}"#,
                headers: [.contentType: "application/json", .authorization: login]
            )
            #expect(reply.status == 201, "\(reply.text)")
            let rows = try reply.rows()
            #expect(rows.first?["ok"]?.boolValue == true)
            #expect(rows.last?["id"]?.stringValue == "_design/d")
            #expect(rows.last?["error"]?.stringValue == "forbidden")
        }
    }
}
