internal import SetteeCouchProtocol
internal import SetteeDocumentValues
internal import StorageProtocol
internal import Testing

@Suite struct RequestOptionsTests {
    @Test(
        arguments: [
            ("", nil), ("x=", ""), ("x", ""), ("x=a%26b", "a&b"), ("x=1&x=2", "2"), ("X=1", nil), ("x=null", "null"),
        ] as [(String, String?)]
    )
    func readsTexts(query: String, text: String?) throws {
        #expect(try options(query).text("x") == text)
    }

    @Test(
        arguments: [
            ("", nil), ("x=true", true), ("x=false", false), ("x=TRUE", true), ("x=False", false),
        ] as [(String, Bool?)]
    )
    func readsFlags(query: String, flag: Bool?) throws {
        #expect(try options(query).flag("x") == flag)
    }

    @Test(arguments: [
        ("x=yes", "\"yes\""), ("x=1", "\"1\""), ("x=", "\"\""), ("x=%22true%22", "\"\"true\"\""),
        ("x=" + String(repeating: "a", count: 1000), "\"" + String(repeating: "a", count: 40) + "\""),
    ])
    func refusesFlags(query: String, shown: String) {
        let reason = queryReason { () throws(CouchError) in _ = try options(query).flag("x") }
        #expect(reason == "Invalid boolean parameter: \(shown)")
    }

    @Test(
        arguments: [
            ("", nil), ("x=0", 0), ("x=17", 17), ("x=-0", 0), ("x=007", 7), ("x=9223372036854775807", .max),
            ("x=99999999999999999999", .max),
        ] as [(String, Int?)]
    )
    func readsCounts(query: String, count: Int?) throws {
        #expect(try options(query).count("x") == count)
    }

    @Test(arguments: [
        ("x=-1", "Invalid value for positive integer: \"-1\""), ("x=abc", "Invalid value for integer: \"abc\""),
        ("x=", "Invalid value for integer: \"\""), ("x=1.5", "Invalid value for integer: \"1.5\""),
        ("x=%2B1", "Invalid value for integer: \"+1\""), ("x=-", "Invalid value for integer: \"-\""),
        ("x=-99999999999999999999", "Invalid value for positive integer: \"-99999999999999999999\""),
    ])
    func refusesCounts(query: String, expected: String) {
        #expect(queryReason { () throws(CouchError) in _ = try options(query).count("x") } == expected)
    }

    @Test func readsMembersOfABody() throws {
        let body: JSONObject = [
            "text": "a", "yes": true, "no": "false", "count": 5, "textCount": "6", "huge": .uint(.max), "whole": 2.0,
            "negative": -1, "half": 1.5, "null": nil, "list": [1],
        ]
        let options = RequestOptions(query: [], body: body)
        #expect(try options.text("text") == "a")
        #expect(try options.flag("yes") == true && options.flag("no") == false)
        #expect(try options.count("count") == 5 && options.count("textCount") == 6)
        #expect(try options.count("huge") == .max && options.count("whole") == 2)
        #expect(try options.json("list") == [1] && options.json("null")?.isNull == true)
        for name in ["count", "null", "list"] as [TargetText] {
            #expect(
                queryReason { () throws(CouchError) in _ = try options.text(name) } == "Invalid value for `\(name)`."
            )
            #expect(queryReason { () throws(CouchError) in _ = try options.flag(name) } != nil)
        }
        let reason = queryReason { () throws(CouchError) in _ = try options.count("negative") }
        #expect(reason == "Invalid value for positive integer: -1")
        for name in ["half", "null", "list", "yes", "text"] as [TargetText] {
            #expect(queryReason { () throws(CouchError) in _ = try options.count(name) }?.contains("integer") == true)
        }
    }

    /// The query counts more than the body, and the last of two synonyms counts.
    @Test func prefersTheQuery() throws {
        let both = try options("x=query&startkey=1&start_key=2", body: ["x": "body", "y": "body", "end_key": 3])
        #expect(try both.text("x") == "query" && both.text("y") == "body")
        #expect(try both.json("start_key") == 2 && both.json("end_key") == 3)
        #expect(try options("start_key=2&startkey=1").json("start_key") == 1)
    }

    @Test(arguments: ["x=", "x={", "x=%22", "x=a", "x=[1,]", "x=NaN", "x=1 2"]) func refusesJSON(query: String) {
        let query = query.replacing(" ", with: "%20")
        #expect(refusal { () throws(CouchError) in _ = try options(query).json("x") } == .invalidJSON)
    }

    @Test func readsRevisions() throws {
        let read = try options("x=2-b&y=%5B%221-a%22%2C%220-4%22%5D&z=[]")
        #expect(try read.revision("x") == RevisionID("2-b") && read.revision("w") == nil)
        #expect(try read.revisions("y") == [RevisionID("1-a"), RevisionID("4-local")])
        #expect(try read.revisions("z") == [] && read.revisions("w") == nil)
        #expect(try RevisionID(wire: "0-17").localWireText == "0-17")
        #expect(try RevisionID(wire: "3-local").localWireText == "0-3")
        for text in ["", "1", "a-b", "0-", "0-0", "0-a", "00-1", "1-", "-1"] {
            let error = refusal { () throws(CouchError) in _ = try RevisionID(wire: text) }
            #expect(error == CouchError(400, "bad_request", "Invalid rev format"), "\(text)")
        }
        for (query, reason) in [
            ("x=1", "Invalid list of revisions"), ("x={}", "Invalid list of revisions"),
            ("x=[1]", "Invalid rev format"),
            ("x=[%22a%22]", "Invalid rev format"), ("x=[", "invalid UTF-8 JSON"),
        ] {
            let error = refusal { () throws(CouchError) in _ = try options(query).revisions("x") }
            #expect(error == CouchError(400, "bad_request", reason))
        }
    }
}
