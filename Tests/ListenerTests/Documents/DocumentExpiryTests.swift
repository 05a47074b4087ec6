internal import Foundation
internal import HTTPTypes
internal import Settee
internal import SetteeDocumentValues
internal import SetteeEngine
internal import StorageProtocol
internal import Testing

@testable internal import SetteeListener

/// `_exp` of documents that are written, and `show_exp`.
@Suite struct DocumentExpiryTests {
    @Test("_exp sets when a document expires and is not part of it", arguments: ListenerBed.types)
    func sets(type: StorageType) async throws {
        try await withListener(type) { bed in
            let database = try bed.database
            let first = try await bed.put("d", #"{"n":1,"_exp":4102444800}"#)
            #expect(try database["d"].expiration == Date(timeIntervalSince1970: 4_102_444_800))
            #expect(try await bed.send(.get, "/db/d").text == #"{"_id":"d","_rev":"\#(first)","n":1}"# + "\n")
            let shown = try await bed.send(.get, "/db/d?show_exp=true")
            #expect(try shown.object()["_exp"]?.stringValue == "2100-01-01T00:00:00.000Z")
            #expect(shown.headers[.eTag] == nil)
            // The ID of the revision is that of the document without it.
            try await bed.put("same", #"{"n":1}"#)
            #expect(try await bed.send(.get, "/db/same").object()["_rev"]?.stringValue == first)
            #expect(try await bed.send(.get, "/db/same?show_exp=true").object()["_exp"] == nil)
            // A later revision without it changes nothing; null ends it.
            let second = try await bed.put("d", #"{"_rev":"\#(first)","n":2}"#)
            #expect(try database["d"].expiration != nil)
            let back = try await bed.send(.get, "/db/d?show_exp=true").text
            #expect(try await bed.send(.put, "/db/d", back).status == 201)
            #expect(try database["d"].expiration == Date(timeIntervalSince1970: 4_102_444_800))
            let third = try #require(try await bed.send(.get, "/db/d").object()["_rev"]?.stringValue)
            try await bed.put("d", #"{"_rev":"\#(third)","_exp":null}"#)
            #expect(try database["d"].expiration == nil)
            #expect(second.hasPrefix("2-"))
        }
    }

    @Test(
        "it is a date, or seconds since 1970, or up to 30 days from now",
        arguments: [
            (#""2100-01-01T00:00:00Z""#, 4_102_444_800.0), (#""2100-01-01T02:00:00+02:00""#, 4_102_444_800),
            (#""2100-01-01T00:00:00.250Z""#, 4_102_444_800.25), (#""2100-01-01""#, 4_102_444_800),
            ("4102444800.5", 4_102_444_800.5), ("2592001", 2_592_001),
        ]
    )
    func forms(value: String, seconds: Double) async throws {
        let date = try GivenExpiration(json: JSONValue(parsing: value))
        #expect(date == (try GivenExpiration.at(Date(timeIntervalSince1970: seconds))))
    }

    @Test("every millisecond comes back", arguments: ListenerBed.types)
    func milliseconds(type: StorageType) async throws {
        try await withListener(type) { bed in
            for millisecond in stride(from: 1, to: 1000, by: 37) {
                let text = "2100-01-01T00:00:00.\(String(millisecond + 1000).dropFirst())Z"
                try await bed.put("d\(millisecond)", #"{"_exp":"\#(text)"}"#)
                let shown = try await bed.send(.get, "/db/d\(millisecond)?show_exp=true").object()
                #expect(shown["_exp"]?.stringValue == text)
            }
        }
    }

    @Test("a number up to 30 days counts from now")
    func interval() async throws {
        try await withListener(.memory) { bed in
            let now = Date()
            try await bed.put("d", #"{"_exp":3600}"#)
            let date = try #require(try bed.database["d"].expiration)
            #expect(date >= now + 3_599 && date < now + 3_600 + 1_800)
            try await bed.put("e", #"{"_exp":0}"#)
            #expect(try bed.database["e"].expiration == nil)
            // Sync Gateway takes the digits as a text, too.
            try await bed.put("f", #"{"_exp":"3600"}"#)
            #expect(try #require(try bed.database["f"].expiration) >= now + 3_599)
            try await bed.put("g", #"{"_exp":"4102444800"}"#)
            #expect(try bed.database["g"].expiration == Date(timeIntervalSince1970: 4_102_444_800))
            try await bed.put("h", #"{"_exp":"0"}"#)
            #expect(try bed.database["h"].expiration == nil)
        }
    }

    @Test(
        "what is neither is refused, and nothing is stored",
        arguments: [
            "true", "{}", "[]", #""""#, #""tomorrow""#, "-1", "1e300", #""-1""#, #""1e3""#, #"" 5""#,
            #""99999999999999999999""#, #""2100-13-01T00:00:00Z""#,
            #""2100-01-01T00:00:00Z and more""#, #""2100-01-01T00:00:00""#, #""2100-01-01T00:00Z""#,
            #""2100-01-01 00:00:00""#, #""2100-01-01T00:00:00+25:00""#, #""2100-02-30T00:00:00Z""#,
            #""2100-01-01T24:30:00Z""#, #""2100-01-01T12:60:00Z""#, #""2100-01-01T12:00:61Z""#,
        ]
    )
    func malformed(value: String) async throws {
        try await withListener(.memory) { bed in
            let reply = try await bed.send(.put, "/db/d", #"{"_exp":\#(value)}"#)
            #expect(reply.status == 400, "\(reply.text)")
            #expect(try reply.object()["error"]?.stringValue == "bad_request")
            #expect(try bed.database.documentCount == 0)
        }
    }

    @Test("_bulk_docs and POST take it; revisions from elsewhere and local documents do not")
    func others() async throws {
        try await withListener(.sqlite) { bed in
            let database = try bed.database
            let wrong = #"{"docs":[{"_id":"a"},{"_id":"b","_exp":"never"}]}"#
            #expect(try await bed.send(.post, "/db/_bulk_docs", wrong).status == 400)
            let docs = #"{"docs":[{"_id":"a","_exp":4102444800},{"_id":"_local/c","_exp":1}]}"#
            let rows = try await bed.send(.post, "/db/_bulk_docs", docs).rows()
            #expect(rows.map { $0["ok"]?.boolValue ?? false } == [true, false])
            #expect(try database["a"].expiration != nil)
            #expect(try await bed.send(.post, "/db", #"{"_id":"p","_exp":4102444800}"#).status == 201)
            #expect(try database["p"].expiration != nil)
            #expect(try await bed.send(.put, "/db/_local/l", #"{"_exp":4102444800}"#).status == 400)
            #expect(try await bed.send(.get, "/db/_local/l").status == 404)
            #expect(try await bed.send(.get, "/db/_local/c").status == 404)
            let foreign = #"{"_id":"f","_rev":"1-a","_exp":4102444800}"#
            let single = try await bed.send(.put, "/db/f?new_edits=false", foreign)
            #expect(try single.object()["error"]?.stringValue == "doc_validation")
            let bulk = try await bed.send(.post, "/db/_bulk_docs", #"{"new_edits":false,"docs":[\#(foreign)]}"#)
            #expect(try bulk.rows()[0]["error"]?.stringValue == "doc_validation")
            #expect(try await bed.send(.get, "/db/f").status == 404)
        }
    }

    @Test("open_revs and _bulk_get show it, too")
    func shown() async throws {
        try await withListener(.memory) { bed in
            try await bed.put("d", #"{"_exp":4102444800}"#)
            let json: HTTPFields = [.accept: "application/json"]
            let open = try await bed.send(.get, "/db/d?open_revs=all&show_exp=true", headers: json)
            #expect(open.text.contains(#""_exp":"2100-01-01T00:00:00.000Z""#))
            let body = #"{"docs":[{"id":"d"}]}"#
            let bulk = try await bed.send(.post, "/db/_bulk_get?show_exp=true", body, headers: json)
            #expect(bulk.text.contains(#""_exp":"2100-01-01T00:00:00.000Z""#))
        }
    }

    @Test("a refused write sets nothing")
    func refused() async throws {
        try await withListener(.lmdb) { bed in
            try await bed.put("d", "{}")
            #expect(try await bed.send(.put, "/db/d", #"{"_exp":4102444800}"#).status == 409)
            #expect(try bed.database["d"].expiration == nil)
        }
    }
}
