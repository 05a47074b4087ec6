import Crypto
import Foundation
import Settee
import SetteeEngine
import SetteeTestSupport
import StorageProtocol
import Testing

/// MD5s of contents, which CouchDB's clients name attachments by.
@Suite struct ContentMD5Tests {
    private static let index = "attachments-md5"

    private func sha1(_ text: String) -> [UInt8] { Array(Insecure.SHA1.hash(data: bytes(text))) }
    private func md5(_ text: String) -> [UInt8] { Array(Insecure.MD5.hash(data: bytes(text))) }
    private func digest(_ text: String) -> String { "md5-" + Data(md5(text)).base64EncodedString() }

    /// What is kept of the MD5 of a text.
    private func kept(_ text: String, in bed: TestDatabase) throws -> [UInt8]? {
        try bed.engine().read { (transaction) throws(StorageError) in
            try transaction.indexEntry(ContentMD5Tests.index, key: sha1(text))
        }
    }

    private func put(_ database: Database, _ id: String, _ text: String) throws -> SavedRevision {
        let data = Data(text.utf8).base64EncodedString()
        return try database[id].put(json: #"{"_attachments":{"x":{"data":"\#(data)"}}}"#)
    }

    @Test(arguments: Storage.all) func theyAreComputedOnceAndKept(_ type: StorageType) throws {
        try withDatabase(type) { (bed) throws in
            _ = try put(bed.database, "a", "one")
            _ = try put(bed.database, "b", "two")
            #expect(try kept("one", in: bed) == nil)
            // Inside `read` nothing can be kept.
            let inside = try bed.database.read { _ in try bed.database.md5(ofContents: [sha1("one")]) }
            #expect(inside == [md5("one")])
            #expect(try kept("one", in: bed) == nil)
            #expect(bed.database.hasComputedMD5s)
            try bed.database.keepComputedMD5s()
            #expect(!bed.database.hasComputedMD5s)
            #expect(try kept("one", in: bed) == md5("one"))
            let found = try bed.database.md5(ofContents: [sha1("two"), sha1("one"), sha1("two")])
            #expect(found == [md5("two"), md5("one"), md5("two")])
            #expect(try kept("one", in: bed) == md5("one") && kept("two", in: bed) == md5("two"))
            #expect(try bed.database.md5(ofContents: [sha1("one")]) == [md5("one")])
            #expect(try bed.database.md5(ofContents: []).isEmpty)
            expectError(.attachmentNotFound) { try bed.database.md5(ofContents: [sha1("three")]) }
            // They go with their contents.
            try bed.database["a"].purge()
            try bed.database.compact()
            #expect(try kept("one", in: bed) == nil && kept("two", in: bed) == md5("two"))
        }
    }

    @Test(arguments: Storage.all) func thatOfAClientIsKeptWithTheContent(_ type: StorageType) throws {
        try withDatabase(type) { (bed) throws in
            for keeps in [false, true] {
                let text = "content \(keeps)"
                let writer =
                    keeps
                    ? try bed.database.makeAttachmentWriterKeepingMD5() : try bed.database.makeAttachmentWriter()
                try writer.append(bytes(text))
                let staged = try writer.finish()
                let entry: JSONValue = ["follows": true, "digest": .string(try #require(staged.md5Digest))]
                try bed.database["\(keeps)"].put(["_attachments": ["x": entry]])
                #expect(try kept(text, in: bed) == (keeps ? md5(text) : nil))
            }
        }
    }

    /// A stub of another server stands for what an ancestor has.
    @Test(arguments: Storage.all) func stubsWithMD5AreMatchedWithAncestors(_ type: StorageType) throws {
        try withDatabase(type) { (bed) throws in
            let database = bed.database
            let first = try put(database, "a", "one")
            func insert(_ number: Int, _ entries: String) throws -> SavedRevision? {
                let own = try RevisionID("2-\(number)")
                try database["a"].forceInsert(json: #"{"_attachments":\#(entries)}"#, history: [own, first.id])
                return try database["a"].revision(own)
            }
            // By name and the revision that added it, whatever the digest: it may be that of an encoded form.
            let named = try insert(1, #"{"x":{"stub":true,"digest":"\#(digest("other"))","revpos":1,"length":99}}"#)
            #expect(try named?.attachment(named: "x")?.content() == bytes("one"))
            #expect(try named?.attachment(named: "x")?.revpos == 1)
            #expect(try named?.attachment(named: "x")?.length == 3)
            // By digest and length under another name.
            let moved = try insert(
                2,
                #"{"y":{"stub":true,"digest":"\#(digest("one"))","revpos":2,"length":3,"content_type":"text/plain"}}"#
            )
            #expect(try moved?.attachment(named: "y")?.content() == bytes("one"))
            #expect(try moved?.attachment(named: "y")?.contentType == "text/plain")
            for (number, entries) in [
                #"{"y":{"stub":true,"digest":"\#(digest("one"))","revpos":2,"length":4}}"#,
                #"{"y":{"stub":true,"digest":"\#(digest("two"))","revpos":2}}"#,
                #"{"x":{"stub":true,"digest":"\#(digest("two"))","revpos":2}}"#,
            ].enumerated() {
                expectError(.attachmentNotFound, "\(entries)") { try insert(10 + number, entries) }
            }
            // A document without that ancestor has nothing to match with.
            let stub = #"{"_attachments":{"x":{"stub":true,"digest":"\#(digest("one"))","revpos":1}}}"#
            let own = try RevisionID("1-b")
            expectError(.attachmentNotFound) { try database["b"].forceInsert(json: stub, history: [own]) }
        }
    }

    /// A client that read stubs with MD5s sends them back.
    @Test(arguments: Storage.all) func stubsThatComeBackAreTheParents(_ type: StorageType) throws {
        try withDatabase(type) { (bed) throws in
            let first = try put(bed.database, "a", "one")
            for entry in [
                #"{"stub":true,"digest":"\#(digest("one"))","revpos":1,"length":3}"#,
                #"{"stub":true,"digest":"\#(digest("one"))","content_type":"text/plain"}"#,
            ] {
                let parent = try bed.database["a"].read().id
                let saved = try bed.database["a"].put(json: #"{"_attachments":{"x":\#(entry)}}"#, parent: parent)
                let attachment = try #require(try saved.attachment(named: "x"))
                #expect(try attachment.content() == bytes("one"))
                #expect(attachment.revpos == 1 && attachment.contentType == nil)
            }
            let other = #"{"_attachments":{"x":{"stub":true,"digest":"\#(digest("two"))"}}}"#
            let parent = try bed.database["a"].read().id
            expectError(.attachmentNotFound) { try bed.database["a"].put(json: other, parent: parent) }
            #expect(first.id != parent)
        }
    }

    @Test(arguments: Storage.all) func whatOtherServersSendIsTaken(_ type: StorageType) throws {
        try withDatabase(type) { (bed) throws in
            let database = bed.database
            let data = Data("one".utf8).base64EncodedString()
            let entry = #"{"data":"\#(data)","digest":"\#(digest("other"))","revpos":7}"#
            let json = #"{"_attachments":{"x":\#(entry)}}"#
            // A revision above the generation, and the digest of an encoded form.
            try database["a"].forceInsert(json: json, history: [RevisionID("2-a")])
            let attachment = try #require(try database["a"].read().attachment(named: "x"))
            #expect(try attachment.content() == bytes("one"))
            #expect(attachment.revpos == 2)
            expectError(.badAttachment) { try database["b"].put(json: json) }
        }
    }
}
