import Foundation
import Settee
import SetteeProgramSupport
import Testing

/// Every layout that releases of 1.x had, with something of everything in it.
@Suite struct LayoutTests {
    let folder: Folder
    let source: Folder
    static let gzip = Array(Data(base64Encoded: "H4sIAAAAAAACA8tIzcnJBwCGphA2BQAAAA==") ?? Data())

    init() throws {
        folder = try Folder()
        source = try Folder()
    }

    @Test("Everything in an old database is imported", arguments: OldRelease.allCases, [0, 1, 2])
    func everything(_ release: OldRelease, engine: Int) throws {
        let old = try OldFiles(source, release)
        let content = Array("content of an attachment".utf8)
        let entry = try old.content(content)
        let encoded = try old.content(LayoutTests.gzip, gzipOf: 5)
        let list =
            release.hasAttachmentTable ? "" : #","_attachments":{"a.txt":\#(entry),"é.gz":\#(encoded)}"#
        try old.document(1, "conflict", expiry: release.hasExpiry ? 4_102_444_800 : nil)
        try old.revision(1, of: 1, "1-FBA738EF-EA1A-4CF2-BAD3-3A524C56D694", current: false, #"{"v":1}"#)
        try old.revision(2, of: 1, "2-aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", parent: 1, #"{"v":"a"}"#)
        try old.revision(3, of: 1, "2-BBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBB", parent: 1, #"{"v":"B"}"#)
        try old.revision(4, of: 1, "2-ffffffffffffffffffffffffffffffff", parent: 1, current: false, nil)
        try old.revision(5, of: 1, "3-dead", parent: 4, deleted: true, "")
        try old.document(2, "attached")
        try old.revision(6, of: 2, "1-x", #"{"n":1.5\#(list)}"#)
        if release.hasAttachmentTable {
            try old.attachment("a.txt", of: 6, content)
            try old.attachment("é.gz", of: 6, LayoutTests.gzip, gzipOf: 5)
            try old.sql("INSERT INTO replicators VALUES ('http://example.org/db', 1, '17')")
        }
        try old.document(3, "tombstone")
        try old.revision(7, of: 3, "1-x", current: false, nil)
        try old.revision(9, of: 3, "2-y", parent: 7, deleted: true, #"{"why":"old"}"#)
        // Purged: 1.x leaves its row behind.
        try old.document(4, "purged")
        try old.document(5, "_design/d")
        try old.revision(10, of: 5, "1-x", #"{"views":{}}"#)
        try old.local("_local/place", "3-local", #"{"page":3}"#)
        for (key, value) in [
            ("publicUUID", "-d9EhMIFvI2nKMzJYnvQYrV"), ("privateUUID", "-FEYHnujdYBN52mBgHiFzy4"), ("max_revs", "7"),
            ("checkpoint/abc", "42"),
        ] {
            try old.info(key, value)
        }
        try old.sql("INSERT INTO views (name) VALUES ('byName')")
        try old.sql("UPDATE sqlite_sequence SET seq = 99 WHERE name = 'revs'")
        try old.finish()

        let options = engine < 2 ? targets[engine] : try encryptedTarget()
        let (database, report) = try imported(old.url, watching: source.path, in: folder, options: options)
        defer { try? database.close() }
        #expect(report.problems == [])
        #expect(report.documents == 4)
        #expect(report.revisions == 9)
        #expect(report.attachments == 2)
        #expect(report.localDocuments == 1)
        #expect(report.views == ["byName"])

        let leaves = ["2-aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", "2-BBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBB", "3-dead"]
        #expect(try database.leaves("conflict") == leaves)
        #expect(try database["conflict"].isConflicted)
        #expect(try database.body("conflict") == #"{"v":"a"}"#)
        #expect(try database.body("conflict", leaves[1]) == #"{"v":"B"}"#)
        #expect(try database.body("conflict", "1-FBA738EF-EA1A-4CF2-BAD3-3A524C56D694") == #"{"v":1}"#)
        #expect(try database["conflict"].revision(RevisionID(leaves[2]))?.sequence == 5)
        let expiration = try database["conflict"].expiration
        #expect(expiration == (release.hasExpiry ? Date(timeIntervalSince1970: 4_102_444_800) : nil))

        let attached = try #require(try database["attached"].revision())
        #expect(try attached.attachments.map(\.name).sorted() == ["a.txt", "é.gz"])
        #expect(try database.content("attached", "a.txt") == content)
        let gz = try #require(try attached.attachment(named: "é.gz"))
        #expect(try gz.content() == Array("hello".utf8))
        #expect(try gz.encodedContent() == LayoutTests.gzip)
        #expect(gz.contentType == "text/plain")

        #expect(try database["tombstone"].revision()?.id.string == "2-y")
        #expect(try database["tombstone"].currentRevision == nil)
        #expect(try database.body("tombstone") == #"{"why":"old"}"#)
        #expect(try database["_local/place"].revision()?.id.string == "3-local")
        #expect(try database.maxRevTreeDepth == 7)
        #expect(try database.publicUUID == "-d9EhMIFvI2nKMzJYnvQYrV")
        #expect(try database.privateUUID == "-FEYHnujdYBN52mBgHiFzy4")
        #expect(try database.info["checkpoint/abc"] == "42")
        if release.hasAttachmentTable {
            #expect(try database.info["replicator/push/http://example.org/db"] == "17")
        }
        #expect(try database.statistics().lastSequence == 99)
        // What is saved next continues from there.
        #expect(try database["next"].put(["a": 1]).sequence == 100)
    }
}
