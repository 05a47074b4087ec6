import Foundation
import Settee
import SetteeProgramSupport
import StorageConformance
import Testing

@Suite("import of what other programs write")
struct ForeignDumpTests {
    let folder: Folder
    let db: String

    init() throws {
        folder = try Folder()
        db = folder.path("db")
    }

    /// Returns the counts, and the messages of what was refused.
    private func imported(
        _ text: String,
        _ arguments: String...
    ) throws -> (documents: Int64?, failed: Int64?, errors: String) {
        let outcome = try Child(["import", db, "-", "--json"] + arguments, input: Array(text.utf8)).wait()
        let counts = try outcome.object()
        #expect(outcome.status == (counts["failed"]?.intValue == 0 ? 0 : 1))
        return (counts["documents"]?.intValue, counts["failed"]?.intValue, outcome.errors)
    }

    private func document(_ id: String) throws -> JSONObject { try Program.succeed("get", db, id, "--revs").object() }

    private func ids() throws -> [String] {
        try Program.succeed("ls", db, "--json").objects().compactMap { $0["id"]?.stringValue }
    }

    private static let note = #"{"name":"@cloudant/couchbackup","version":"2.11.0","mode":"full","attachments":true}"#

    @Test("couchbackup's lines of arrays, of old versions and new ones", arguments: ["", note + "\n"])
    func couchbackup(note: String) throws {
        let text =
            note + """
                [{"_id":"a","_rev":"3-c","_revisions":{"start":3,"ids":["c","b","a"]},"n":1},{"_id":"b","_rev":"1-x"}]
                []
                {"marker":"@cloudant/couchbackup:resume"}
                [{"_id":"c","_rev":"1-y","_attachments":{"t":{"content_type":"text/plain","revpos":1,"data":"YWJj"}}},
                {"_id":"d","_rev":"2-z","_deleted":true},{"_id":"_design/e","_rev":"1-z","views":{}}]

                """
        let result = try imported(text.replacing("}},\n", with: "}},"))
        #expect((result.documents, result.failed) == (5, 0), "\(result.errors)")
        #expect(try ids() == ["_design/e", "a", "b", "c"])
        #expect(try document("a")["_revisions"]?["ids"]?.arrayValue?.compactMap(\.stringValue) == ["c", "b", "a"])
        #expect(try Program.succeed("cat-attachment", db, "c", "t").text == "abc")
    }

    @Test("A stub, whose content the backup does not have, fails alone and says so")
    func stub() throws {
        let text = #"""
            [{"_id":"a","_rev":"1-a"},{"_id":"b","_rev":"1-b","_attachments":{"t":{"content_type":"text/plain","revpos":1,"digest":"md5-kAFQmDzST7DWlj99KOF/cg==","length":3,"stub":true}}}]
            [{"_id":"c","_rev":"1-c"}]
            """#
        let result = try imported(text)
        #expect((result.documents, result.failed) == (2, 1))
        #expect(result.errors.contains("line 1") && result.errors.contains("'b'"), "\(result.errors)")
    }

    @Test("A line that is broken off ends the import with its place")
    func brokenBackup() throws {
        let outcome = try Program.run("import", db, "-", "--json", input: "[{\"_id\":\"a\"}]\n[{\"_id\":\"b\"},{\"_id")
        #expect(outcome.status == 1)
        #expect(try outcome.error().status == 493)
        #expect(try ids() == ["a", "b"])
    }

    private static let rows = """
        {"total_rows":3,"offset":0,"rows":[\r
        {"id":"a","key":"a","value":{"rev":"1-a"},"doc":{"_id":"a","_rev":"1-a","n":1}},\r
        {"id":"b","key":"b","value":{"rev":"2-b"},"doc":{"_id":"b","_rev":"2-b","id":"x","key":1}}\r
        ]}

        """

    @Test(
        "An answer of _all_docs: the documents, not the rows",
        arguments: [[], ["--at", "/rows"], ["--at", "/rows", "--id-field", "_id"]]
    )
    func allDocs(arguments: [String]) throws {
        let outcome = try Child(["import", db, "-", "--json"] + arguments, input: Array(Self.rows.utf8)).wait()
        #expect(outcome.status == 0 && outcome.text == #"{"documents":2,"failed":0}"# + "\n", "\(outcome.errors)")
        #expect(try ids() == ["a", "b"])
        #expect(try document("b")["_rev"]?.stringValue == "2-b")
        #expect(try document("b")["doc"] == nil && document("b")["key"] == 1)
    }

    @Test("With another format the rows are documents, as asked for")
    func literalRows() throws {
        let result = try imported(Self.rows, "--at", "/rows", "--format", "array", "--id-field", "id")
        #expect((result.documents, result.failed) == (2, 0))
        #expect(try document("a")["doc"]?["n"] == 1)
    }

    @Test("A row without a document fails with what is missing")
    func rowsWithoutDocuments() throws {
        let rows = #"""
            {"total_rows":3,"offset":0,"rows":[
            {"id":"a","key":"a","value":{"rev":"1-a"}},
            {"id":"b","key":"b","value":{"rev":"2-b","deleted":true},"doc":null},
            {"key":"c","error":"not_found"},
            {"id":"d","key":[1],"value":null,"doc":{"_id":"d","_rev":"1-d"}}
            ]}
            """#
        let result = try imported(rows)
        #expect((result.documents, result.failed) == (1, 3))
        #expect(result.errors.contains("include_docs=true") && result.errors.contains("deleted"), "\(result.errors)")
        #expect(try ids() == ["d"])
    }

    @Test("Documents that look a little like rows stay documents")
    func noRows() throws {
        let text = #"""
            {"_id":"a","key":1,"value":{"rev":"1-a"},"doc":{"_id":"x"}}
            {"id":"b","key":1,"value":"v"}
            {"id":"c","key":1,"value":2,"doc":{"title":"t"}}
            {"id":4,"key":1,"value":{"rev":"x"}}
            """#
        #expect(try imported(text).documents == 4)
        #expect(try imported(#"[{"id":"e","key":"k","value":7,"more":1,"doc":{"_id":"y"}}]"#).documents == 1)
        #expect(try !ids().contains("x") && !ids().contains("y"))
    }

    @Test("Answers of _changes with documents, in one object or as lines")
    func changes() throws {
        let rows = [
            #"{"seq":"1-g","id":"a","changes":[{"rev":"1-a"}],"doc":{"_id":"a","_rev":"1-a"}}"#,
            #"{"seq":2,"id":"b","changes":[{"rev":"2-b"}],"deleted":true,"doc":{"_id":"b","_rev":"2-b","_deleted":true}}"#,
        ]
        let lines = rows.joined(separator: "\n") + "\n\n" + #"{"last_seq":"2-g","pending":0}"#
        #expect(try imported(lines).documents == 2)
        #expect(try ids() == ["a"])
        let whole =
            #"{"results":["#
            + rows.joined(separator: ",\n").replacing("\"a\"", with: "\"c\"")
            .replacing("\"b\"", with: "\"d\"") + #"],"last_seq":2}"#
        #expect(try imported(whole, "--at", "/results").documents == 2)
        #expect(try imported(#"{"seq":3,"id":"e","changes":[{"rev":"1-e"}]}"#).failed == 1)
        #expect(try ids() == ["a", "c"])
    }

    @Test("mongoexport's Extended JSON, canonical and relaxed")
    func mongo() throws {
        let text = #"""
            {"_id":{"$oid":"507f1f77bcf86cd799439011"},"n":{"$numberInt":"42"},"l":{"$numberLong":"-9223372036854775808"},"d":{"$numberDouble":"1.50"},"e":{"$numberDouble":"-1.5E+300"},"nan":{"$numberDouble":"NaN"},"m":{"$numberDecimal":"0.10"},"t":{"$date":{"$numberLong":"1577836800123"}},"in":[{"o":{"$oid":"507f191e810c19729de860ea"}}]}
            {"_id":{"$oid":"507f1f77bcf86cd799439012"},"n":42,"t":{"$date":"2020-01-01T01:00:00+01:00"},"u":{"$date":-1},"v":{"$date":"2020-01-01T00:00:00.5Z"},"b":{"$binary":{"base64":"AA==","subType":"00"}},"two":{"$oid":"x","y":1}}
            {"_id":7,"x":1}
            {"_id":{"$numberLong":"8"}}
            {"_id":"text"}
            """#
        let result = try imported(text, "--extended-json")
        #expect((result.documents, result.failed) == (5, 0), "\(result.errors)")
        #expect(try ids() == ["507f1f77bcf86cd799439011", "507f1f77bcf86cd799439012", "7", "8", "text"])
        let first = try document("507f1f77bcf86cd799439011")
        #expect(first["n"] == 42 && first["l"] == .int(.min) && first["d"] == 1.5 && first["e"] == -1.5e300)
        #expect(first["nan"] == "NaN" && first["m"] == "0.10" && first["t"] == "2020-01-01T00:00:00.123Z")
        #expect(first["in"]?[0]?["o"] == "507f191e810c19729de860ea")
        let second = try document("507f1f77bcf86cd799439012")
        #expect(second["t"] == "2020-01-01T00:00:00.000Z" && second["u"] == "1969-12-31T23:59:59.999Z")
        #expect(second["v"] == "2020-01-01T00:00:00.500Z" && second["two"] == ["$oid": "x", "y": 1])
        #expect(second["b"] == ["$binary": ["base64": "AA==", "subType": "00"]])
    }

    @Test(
        "An object that should stand for a value and does not fails alone",
        arguments: [
            #"{"$oid":1}"#, #"{"$date":"yesterday"}"#, #"{"$date":{"$numberLong":"x"}}"#, #"{"$date":1e300}"#,
            #"{"$numberInt":"1.5"}"#, #"{"$numberLong":"9223372036854775808"}"#, #"{"$numberDouble":"0x10"}"#,
            #"{"$numberDecimal":1}"#, #"{"$date":null}"#,
        ]
    )
    func malformed(value: String) throws {
        let text = "{\"_id\":\"a\"}\n{\"_id\":\"b\",\"x\":\(value)}\n{\"_id\":\"c\"}"
        let result = try imported(text, "--extended-json")
        #expect((result.documents, result.failed) == (2, 1))
        #expect(result.errors.contains("line 2"), "\(result.errors)")
        #expect(try imported(#"[{"_id":"d","x":\#(value)}]"#).documents == 1)
    }

    @Test("Objects nested as deep as is allowed are converted without a stack that grows")
    func deep() throws {
        let depth = 510
        let text =
            #"{"_id":"a","x":"# + String(repeating: #"{"x":"#, count: depth) + "1"
            + String(repeating: "}", count: depth)
            + "}"
        #expect(try imported(text, "--extended-json").documents == 1)
    }

    @Test("_exp says when a document expires: a date, a number, or its digits")
    func expiry() throws {
        let text = #"""
            {"_id":"a","_exp":4102444800}
            {"_id":"b","_exp":"4102444800","_rev":"2-x"}
            {"_id":"c","_exp":"2100-01-01T00:00:00Z","_attachments":{"t":{"data":"YQ=="}}}
            {"_id":"d","_exp":"0"}
            {"_id":"e","_exp":"soon"}
            {"_id":"_local/f","_exp":4102444800}
            {"_id":"g","_exp":""}
            {"_id":"h","_exp":"99999999999999999999"}
            {"_id":"i"}
            """#
        let result = try imported(text)
        #expect((result.documents, result.failed) == (5, 4), "\(result.errors)")
        let times = try Program.succeed("export", db, "--all").text.matches(of: /4102444800000/)
        #expect(times.count == 3)
    }
}
