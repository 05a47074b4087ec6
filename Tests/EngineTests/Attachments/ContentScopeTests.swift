import Crypto
import Foundation
import Settee
import SetteeDocumentValues
import SetteeEngine
import SetteeTestSupport
import StorageProtocol
import Testing

/// Which contents a body from outside may name by digest.
@Suite("Contents named by digest") struct ContentScopeTests {
    private static let secret = Array("the secret content".utf8)
    private static let digest =
        "sha1-" + Data(Insecure.SHA1.hash(data: Data("the secret content".utf8))).base64EncodedString()
    private static let sources = ["stub", "follows"]

    private func body(
        _ source: String,
        digest: String = ContentScopeTests.digest,
        name: String = "x",
        _ scope: ContentScope
    ) throws -> DocumentBody {
        let entry = #"{"\#(source)":true,"digest":"\#(digest)"}"#
        var body = try DocumentBody(
            try JSONValue(parsing: #"{"_attachments":{"\#(name)":\#(entry)}}"#).objectValue ?? [:]
        )
        body.contentScope = scope
        return body
    }

    /// Saves a body as an edit made here, or one made elsewhere.
    private func save(
        _ body: DocumentBody,
        _ id: String,
        in database: Database,
        after history: [RevisionID] = [],
        isForeign: Bool
    ) throws {
        guard isForeign else {
            _ = try database.put(DocumentID(id), body, parent: history.first)
            return
        }
        var body = body
        let own = try RevisionID("\((history.first?.generation ?? 0) + 1)-\(String(repeating: "e", count: 32))")
        body.history = [own] + history
        if case .refused(let error) = try database.forceInsert([ForeignRevision(DocumentID(id), body)]).first {
            throw error
        }
    }

    @Test(
        "that of another document is refused, and the app's own calls may share it",
        arguments: Storage.every,
        [false, true]
    )
    func others(_ type: StorageType, isForeign: Bool) throws {
        try withDatabase(type) { (bed) throws in
            let database = bed.database
            try database["secret"].setAttachment(named: "x", content: Self.secret)
            try database["own"].put(["n": 1])
            let own = [try database["own"].read().id]
            for source in Self.sources {
                for (id, history) in [("new", []), ("own", own)] {
                    expectError(.attachmentNotFound) {
                        try save(
                            body(source, .document(staged: [])),
                            id,
                            in: database,
                            after: history,
                            isForeign: isForeign
                        )
                    }
                }
                let id = "shared-\(source)"
                try save(body(source, .database), id, in: database, isForeign: isForeign)
                #expect(try database[id].read().attachment(named: "x")?.content() == Self.secret)
            }
            #expect(try database["new"].exists == false)
        }
    }

    @Test("what another request has staged is not found", arguments: Storage.every, [false, true])
    func staged(_ type: StorageType, isForeign: Bool) throws {
        try withDatabase(type) { (bed) throws in
            let database = bed.database
            let other = try database.stageAttachment(.bytes(Self.secret))
            for digest in [other.digest, try #require(other.md5Digest)] {
                expectError(.attachmentNotFound) {
                    try save(
                        body("follows", digest: digest, .document(staged: [])),
                        "d",
                        in: database,
                        isForeign: isForeign
                    )
                }
            }
            let own = try database.stageAttachment(.bytes(Array("own".utf8)))
            let md5 = try #require(own.md5Digest)
            try save(body("follows", digest: md5, .document(staged: [own])), "d", in: database, isForeign: isForeign)
            #expect(try database["d"].read().attachment(named: "x")?.content() == Array("own".utf8))
            withExtendedLifetime(other) {}
        }
    }

    @Test("every kept revision of the document counts", arguments: Storage.every, [false, true])
    func own(_ type: StorageType, isForeign: Bool) throws {
        try withDatabase(type) { (bed) throws in
            let database = bed.database
            let document = database["d"]
            let first = try document.setAttachment(named: "a", content: Self.secret)
            let second = try document.put(["n": 2], parent: first.id)
            // Another line, which has a content of its own.
            let branch = try database.stageAttachment(.bytes(Array("branch".utf8)))
            try document.forceInsert(
                json: #"{"_attachments":{"b":{"follows":true,"digest":"\#(branch.digest)"}}}"#,
                history: [try RevisionID("1-0")]
            )
            for (step, source) in Self.sources.enumerated() {
                let parent = try document.read()
                let history = step == 0 ? [second.id, first.id] : [parent.id, second.id, first.id]
                try save(
                    body(source, name: "renamed", .document(staged: [])),
                    "d",
                    in: database,
                    after: history,
                    isForeign: isForeign
                )
                #expect(try document.read().attachment(named: "renamed")?.content() == Self.secret)
            }
            let last = try document.read().id
            try save(
                body("stub", digest: branch.digest, .document(staged: [])),
                "d",
                in: database,
                after: [last],
                isForeign: isForeign
            )
            #expect(try document.read().attachment(named: "x")?.content() == Array("branch".utf8))
        }
    }

    @Test("that of a body that was compacted away is not the document's any more", arguments: Storage.every)
    func compacted(_ type: StorageType) throws {
        try withDatabase(type) { (bed) throws in
            let database = bed.database
            let first = try database["d"].setAttachment(named: "a", content: Self.secret)
            let second = try database["d"].put(["n": 2], parent: first.id)
            try database["other"].setAttachment(named: "a", content: Self.secret)
            try database.compact()
            expectError(.attachmentNotFound) {
                try save(
                    body("stub", name: "a", .document(staged: [])),
                    "d",
                    in: database,
                    after: [second.id, first.id],
                    isForeign: true
                )
            }
        }
    }

    // CouchDB pushes so after several edits: the newest revision, with stubs for what the other side has.
    @Test("a stub is matched with an ancestor, although the parent was never here", arguments: Storage.every)
    func gap(_ type: StorageType) throws {
        try withDatabase(type) { (bed) throws in
            let first = try bed.database["d"].setAttachment(named: "a", content: Self.secret)
            let md5 = Data(Insecure.MD5.hash(data: Data(Self.secret))).base64EncodedString()
            let history = [try RevisionID("3-c"), try RevisionID("2-b"), first.id]
            for revpos in [1, 3] {
                let json = #"{"_attachments":{"a":{"stub":true,"digest":"md5-\#(md5)","revpos":\#(revpos)}}}"#
                let own = try RevisionID("3-\(revpos)")
                try bed.database["d"].forceInsert(json: json, history: [own] + history.dropFirst())
                let revision = try #require(try bed.database["d"].revision(own))
                #expect(try revision.attachment(named: "a")?.content() == Self.secret)
            }
        }
    }
}
