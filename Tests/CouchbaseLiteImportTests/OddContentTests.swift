import Foundation
import Settee
import SetteeProgramSupport
import Testing

/// Content that Settee cannot hold as it is: each case is handled in a defined way, and all of it is reported.
@Suite struct OddContentTests {
    let folder: Folder
    let source: Folder
    let old: OldFiles

    init() throws {
        folder = try Folder()
        source = try Folder()
        old = try OldFiles(source, .net140)
    }

    private func run() throws -> (Database, CouchbaseLiteReport) {
        try old.finish()
        return try imported(old.url, watching: source.path, in: folder)
    }

    /// A document of one revision.
    private func add(_ number: Int, _ id: String, _ revision: String = "1-x", _ json: String? = #"{"n":1}"#) throws {
        try old.document(number, id)
        try old.revision(Int64(number), of: number, revision, json)
    }

    @Test(
        "Bodies that cannot be held leave their revisions in place",
        arguments: [
            #"{"n":1e400}"#, #"{"n":NaN}"#, "[1]", "null", "{", #"{"a":"\#u{0}"}"#,
            "{\"a\":" + String(repeating: "[", count: 600), "5",
        ]
    )
    func bodies(_ json: String) throws {
        try add(1, "odd", "1-x", json)
        try add(2, "fine")
        let (database, report) = try run()
        #expect(report.problems.map(\.document) == ["odd"])
        #expect(report.problems.first?.revision == "1-x")
        #expect(report.documents == 2)
        #expect(report.failed == 0)
        #expect(try database.body("odd") == "{}")
        #expect(try database.body("fine") == #"{"n":1}"#)
        // It is an ordinary document.
        try database["odd"].update { $0["n"] = 2 }
        try database.close()
    }

    @Test("Bytes that are not UTF-8, and values that are no text")
    func notText() throws {
        try old.document(1, "bytes")
        try old.revision(1, of: 1, "1-x", bytes: Array(#"{"a":""#.utf8) + [0xFF] + Array(#""}"#.utf8))
        try old.document(2, "number")
        try old.revision(2, of: 2, "1-x")
        try old.sql("UPDATE revs SET json = 5 WHERE sequence = 2")
        let (database, report) = try run()
        #expect(report.problems.map(\.document) == ["bytes", "number"])
        #expect(try database.body("bytes") == "{}")
        try database.close()
    }

    @Test("Members whose names begin with '_' are kept, implied or reported")
    func members() throws {
        try add(1, "implied", "1-x", #"{"_id":"implied","_rev":"1-x","_local_seq":4,"_attachments":{},"n":1}"#)
        try add(2, "removed", "1-x", #"{"_removed":true,"a":1,"a":2}"#)
        try add(3, "unknown", "1-x", #"{"_mine":1,"inner":{"_mine":2}}"#)
        let (database, report) = try run()
        #expect(report.problems.map(\.document) == ["unknown"])
        #expect(try database.body("implied") == #"{"n":1}"#)
        #expect(try database.body("removed") == #"{"_removed":true,"a":2}"#)
        #expect(try database.body("unknown") == #"{"inner":{"_mine":2}}"#)
        try database.close()
    }

    @Test("IDs that are not allowed fail alone")
    func identifiers() throws {
        for (number, id) in ["", "_mine", "_local/x", "fine", "é", "e\u{301}", "_design/d", "a\u{7F}b"].enumerated() {
            try add(number + 1, id)
        }
        let (database, report) = try run()
        #expect(report.failed == 3)
        #expect(report.documents == 5)
        #expect(report.problems.map(\.document) == ["", "_mine", "_local/x"])
        #expect(try database["é"].revision()?.documentID != database["e\u{301}"].revision()?.documentID)
        try database.close()
    }

    @Test("Revision IDs are kept byte for byte, or left out and reported")
    func revisionIDs() throws {
        let good = [
            "1-x", "7-FBA738EF-EA1A", "1-AAA6C063924B64A141C98820EFCC0022", "4611686018427387904-x", "1--", "2-日本",
        ]
        let bad = ["x", "0-x", "01-x", "-1-x", "1-", "9223372036854775807-x", "1-a\u{1}", "99999999999999999999-x"]
        for (number, id) in (good + bad).enumerated() { try add(number + 1, "doc\(number)", id) }
        let (database, report) = try run()
        for (number, id) in good.enumerated() { #expect(try database.leaves("doc\(number)") == [id]) }
        #expect(report.documents == good.count)
        #expect(report.failed == bad.count)
        #expect(report.problems.count == 2 * bad.count)
        try database.close()
    }

    @Test("Impossible trees are cut where they cannot be joined")
    func trees() throws {
        try old.document(1, "gap")
        try old.revision(1, of: 1, "1-x", current: false)
        try old.revision(2, of: 1, "3-x", parent: 1, #"{"v":3}"#)
        try old.document(2, "circle")
        try old.revision(3, of: 2, "1-x", parent: 4, current: false, #"{"v":1}"#)
        try old.revision(4, of: 2, "2-x", parent: 3, current: false, #"{"v":2}"#)
        try old.document(3, "itself")
        try old.revision(5, of: 3, "1-x", parent: 5)
        try old.document(4, "foreign parent")
        try old.revision(6, of: 4, "2-x", parent: 1, #"{"v":2}"#)
        try old.document(5, "pruned parent")
        try old.revision(7, of: 5, "2-x", parent: 99, #"{"v":2}"#)
        try old.document(6, "lost leaf")
        try old.revision(8, of: 6, "1-x", current: false, #"{"v":1}"#)
        try old.revision(9, of: 6, "2-x", parent: 8, current: false, nil)
        try old.document(7, "bad leaf")
        try old.revision(10, of: 7, "1-x", current: false, #"{"v":1}"#)
        try old.revision(11, of: 7, "nodash", parent: 10)
        try old.document(8, "only lost")
        try old.revision(12, of: 8, "1-x", current: false, nil)
        let (database, report) = try run()
        let leaves = [
            "gap": "3-x", "circle": "2-x", "itself": "1-x", "foreign parent": "2-x", "pruned parent": "2-x",
            "lost leaf": "1-x", "bad leaf": "1-x",
        ]
        for (id, leaf) in leaves { #expect(try database.leaves(id) == [leaf], "\(id)") }
        #expect(try database.body("lost leaf") == #"{"v":1}"#)
        #expect(report.documents == leaves.count)
        #expect(report.failed == 1)
        let told = Set(report.problems.compactMap(\.document))
        #expect(told == ["gap", "circle", "itself", "foreign parent", "lost leaf", "bad leaf", "only lost"])
        try database.close()
    }

    @Test("Two rows with one ID")
    func doubles() throws {
        try old.sql("CREATE TABLE copy AS SELECT * FROM revs")
        try old.sql("DROP TABLE revs")
        try old.sql("ALTER TABLE copy RENAME TO revs")
        try old.sql("CREATE TABLE names (doc_id INTEGER PRIMARY KEY, docid TEXT, expiry_timestamp INTEGER)")
        try old.sql("DROP TABLE docs")
        try old.sql("ALTER TABLE names RENAME TO docs")
        try old.document(1, "double")
        try old.document(2, "double")
        try old.revision(1, of: 1, "1-x", current: false, nil)
        try old.revision(2, of: 1, "1-x", #"{"v":1}"#)
        try old.revision(3, of: 1, "2-x", parent: 1, #"{"v":2}"#)
        try old.revision(4, of: 2, "1-y", #"{"v":3}"#)
        let (database, report) = try run()
        #expect(report.documents == 1)
        #expect(report.failed == 1)
        #expect(try database.leaves("double") == ["2-x"])
        #expect(try database.body("double", "1-x") == #"{"v":1}"#)
        try database.close()
    }

    @Test("Sequences and times out of range")
    func numbers() throws {
        try old.document(1, "negative")
        try old.revision(-5, of: 1, "1-x")
        try old.document(2, "huge", expiry: 1 << 61)
        try old.revision((1 << 62) + 7, of: 2, "1-x")
        try old.document(3, "fine", expiry: 4_102_444_800)
        try old.revision(40, of: 3, "1-x")
        let (database, report) = try run()
        #expect(report.documents == 3)
        #expect(try database["fine"].revision()?.sequence == 40)
        #expect(try database["negative"].revision()?.sequence == 41)
        #expect(try database["huge"].expiration == nil)
        #expect(report.problems.count == 3)
        #expect(try database["next"].put(["a": 1]).sequence == 43)
        try database.close()
    }

    @Test("Current revisions without a body")
    func missingBodies() throws {
        try add(1, "live", "1-x", nil)
        try old.document(2, "deleted")
        try old.revision(2, of: 2, "1-x", deleted: true, nil)
        let (database, report) = try run()
        #expect(report.problems.map(\.document) == ["live"])
        #expect(try database.body("live") == "{}")
        #expect(try database["deleted"].currentRevision == nil)
        try database.close()
    }

    @Test("Attachments whose entries or contents are not right")
    func attachments() throws {
        let content = Array("content".utf8)
        let entry = try old.content(content)
        let other = entry.replacing("sha1-", with: "md5-")
        let short = entry.replacing(#""length":7"#, with: #""length":3"#)
        let late = entry.replacing(#""revpos":1"#, with: #""revpos":9"#)
        let gzip = entry.replacing(#""stub":true"#, with: #""stub":true,"encoding":"gzip""#)
        let strange = entry.replacing(#""stub":true"#, with: #""stub":true,"encoding":"zip""#)
        let missing = entry.replacing(#""digest":"sha1-"#, with: #""digest":"sha1-AAAA"#)
        let named = entry.replacing("content_type", with: "type")
        let lost = #"{"stub":true,"digest":"sha1-AAAAAAAAAAAAAAAAAAAAAAAAAAA=","length":1}"#
        let list = [entry, other, short, late, gzip, strange, missing, named, lost, "5"]
        let members = list.enumerated().map { #""\#($0)":\#($1)"# }.joined(separator: ",")
        try add(1, "many", "1-x", #"{"_attachments":{\#(members),"":\#(entry)},"n":1}"#)
        try add(2, "malformed", "1-x", #"{"_attachments":[],"n":1}"#)
        let (database, report) = try run()
        let kept = try #require(try database["many"].revision()).attachments
        #expect(kept.map(\.name).sorted() == ["0", "2", "3", "4", "7"])
        for attachment in kept {
            #expect(try attachment.content() == content)
            #expect(attachment.length == 7)
            #expect(attachment.contentType == "text/plain")
        }
        // Three that were repaired, six that were left out.
        #expect(report.problems.filter { $0.document == "many" }.count == 9)
        #expect(report.problems.filter { $0.document == "malformed" }.count == 1)
        #expect(try database.body("malformed") == #"{"n":1}"#)
        try database.close()
    }

    @Test("Local documents and info values that cannot be held")
    func smallThings() throws {
        try add(1, "d")
        try old.local("plain", "2-local", #"{"n":1}"#)
        try old.local("_local/bad", "local", "{}")
        try old.local("_local/broken", "1-local", "{")
        try old.local("_local/null", "4-local", nil)
        try old.info("publicUUID", "no uuid")
        try old.info(String(repeating: "k", count: 300), "v")
        try old.info("é", "ü")
        let (database, report) = try run()
        #expect(report.localDocuments == 3)
        #expect(report.failed == 1)
        #expect(report.problems.count == 3)
        #expect(try database.body("_local/plain") == #"{"n":1}"#)
        #expect(try database["_local/null"].revision()?.id.string == "4-local")
        #expect(try database.info["é"] == "ü")
        #expect(try database.publicUUID != "no uuid")
        try database.close()
    }
}
