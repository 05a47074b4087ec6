import Foundation
import Settee
import SetteeTestSupport
import Testing

/// `_attachments` as it is written and stored.
@Suite struct AttachmentEntryTests {
    private static let digest = "sha1-9/+ei3uy4Jtwk1pdeF4MxdnQq/A="  // of "Hello"
    private static let md5 = "md5-ixqZU8RhEpaoJ6v4xHgE1w=="
    private static let data = "SGVsbG8="

    @discardableResult
    private func put(_ database: Database, _ entries: String, id: String = "a") throws -> SavedRevision {
        try database[id].put(json: #"{"_attachments":\#(entries)}"#)
    }

    @Test(arguments: Storage.all) func inlineDataBecomesAStub(_ type: StorageType) throws {
        try withDatabase(type) { (bed) throws in
            let entries = [
                #"{"data":"\#(Self.data)"}"#, #"{"data":"\#(Self.data)","revpos":0,"length":5}"#,
                #"{"data":"\#(Self.data)","digest":"\#(Self.digest)","revpos":1,"stub":false}"#,
                #"{"data":"\#(Self.data)","digest":"\#(Self.md5)","follows":true,"unknown":[1]}"#,
                #"{"data":"\#(Self.data)","content_type":null}"#, #"{"data":"SGVs bG8="}"#,
            ]
            for (number, entry) in entries.enumerated() {
                let saved = try put(bed.database, #"{"x":\#(entry)}"#, id: "d\(number)")
                #expect(
                    saved.text
                        == #"{"_attachments":{"x":{"digest":"\#(Self.digest)","length":5,"revpos":1,"stub":true}}}"#
                )
                #expect(try saved.attachment(named: "x")?.content() == Array("Hello".utf8))
            }
            #expect(try bed.database.attachmentSpace().contents == 1)
            let ids = try (0..<entries.count).map { try bed.database["d\($0)"].read().id }
            #expect(Set(ids).count == 1, "Only the stub is hashed into the revision's ID.")
            #expect(try put(bed.database, "{}", id: "none").text == "{}")
        }
    }

    @Test(arguments: Storage.all) func malformedEntriesAreRefusedAndNothingIsLeft(_ type: StorageType) throws {
        try withDatabase(type) { (bed) throws in
            let bad = [
                #"{"x":1}"#, #"{"x":{}}"#, #"{"x":{"stub":false}}"#, #"{"x":{"data":5}}"#, #"{"x":{"data":"SGVsbG8"}}"#,
                #"{"x":{"data":"SGVs bG8"}}"#, #"{"x":{"data":"\#(Self.data)","length":4}}"#,
                #"{"x":{"data":"\#(Self.data)","length":-5}}"#, #"{"x":{"data":"\#(Self.data)","length":"5"}}"#,
                #"{"x":{"data":"\#(Self.data)","digest":"sha1-AAAAAAAAAAAAAAAAAAAAAAAAAAA="}}"#,
                #"{"x":{"data":"\#(Self.data)","digest":"md5-AAAAAAAAAAAAAAAAAAAAAA=="}}"#,
                #"{"x":{"data":"\#(Self.data)","digest":"sha1-short"}}"#,
                #"{"x":{"data":"\#(Self.data)","digest":"crc-AAAA"}}"#,
                #"{"x":{"data":"\#(Self.data)","digest":7}}"#,
                #"{"x":{"data":"\#(Self.data)","revpos":-1}}"#, #"{"x":{"data":"\#(Self.data)","revpos":1.5}}"#,
                #"{"x":{"data":"\#(Self.data)","content_type":3}}"#,
                #"{"x":{"data":"\#(Self.data)","encoding":"br"}}"#,
                #"{"x":{"data":"\#(Self.data)","encoding":"gzip"}}"#,
                #"{"x":{"data":"\#(Self.data)","encoding":"gzip","length":9,"encoded_length":4}}"#,
                #"{"x":{"follows":true}}"#, #"{"x":{"follows":1,"digest":"\#(Self.digest)"}}"#,
                #"{"":{"data":"\#(Self.data)"}}"#, #"{"_x":{"data":"\#(Self.data)"}}"#,
                #"{"ok":{"data":"\#(Self.data)"},"x":{"data":"="}}"#,
            ]
            for entries in bad { expectError(.badAttachment, "\(entries)") { try put(bed.database, entries) } }
            for entries in [
                #"{"x":{"stub":true}}"#, #"{"x":{"stub":true,"digest":"\#(Self.digest)"}}"#,
                #"{"x":{"stub":true,"digest":"\#(Self.md5)"}}"#, #"{"x":{"follows":true,"digest":"\#(Self.digest)"}}"#,
                #"{"x":{"follows":true,"digest":"\#(Self.md5)"}}"#,
            ] {
                expectError(.attachmentNotFound, "\(entries)") { try put(bed.database, entries) }
            }
            expectError(.badJSON) { try put(bed.database, "[]") }
            #expect(try bed.database.lastSequence == 0)
            #expect(try bed.database.attachmentSpace() == Database.AttachmentSpace())
            #expect(try bed.database.compact().blobsRemoved == 0, "What was refused was never published.")
        }
    }

    @Test(arguments: Storage.all) func aRefusalLeavesTheTransactionAsItWas(_ type: StorageType) throws {
        try withDatabase(type) { (bed) throws in
            try bed.database.inTransaction {
                _ = try put(bed.database, #"{"x":{"data":"\#(Self.data)"}}"#, id: "good")
                expectError(.attachmentNotFound) { _ = try put(bed.database, #"{"x":{"stub":true}}"#, id: "bad") }
                expectError(.badAttachment) { _ = try put(bed.database, #"{"x":{"data":"-"}}"#, id: "bad") }
                let good = try bed.database["good"].read()
                #expect(try good.attachment(named: "x")?.content() == Array("Hello".utf8))
            }
            #expect(try bed.database.documentCount == 1)
        }
    }

    @Test(arguments: Storage.all) func stubsAreTakenFromTheParentTheAncestryOrTheDatabase(_ type: StorageType) throws {
        try withDatabase(type) { (bed) throws in
            let document = bed.database["a"]
            let first = try put(bed.database, #"{"x":{"data":"\#(Self.data)","content_type":"text/plain"}}"#)
            // The parent's entry counts, whatever else the stub says.
            let second = try document.put(
                json: #"{"n":2,"_attachments":{"x":{"stub":true,"content_type":"other/type","revpos":2}}}"#,
                parent: first.id
            )
            #expect(try second.attachment(named: "x")?.contentType == "text/plain")
            #expect(try second.attachment(named: "x")?.revpos == 1)
            expectError(.badAttachment) {
                try document.put(json: #"{"_attachments":{"x":{"stub":true,"revpos":4}}}"#, parent: second.id)
            }
            let without = try document.put(json: #"{"n":3}"#, parent: second.id)
            let back = try document.put(json: #"{"n":4,"_attachments":{"x":{"stub":true}}}"#, parent: without.id)
            #expect(try back.attachment(named: "x")?.revpos == 4, "The parent does not have it.")
            let renamed = try document.put(
                json: #"{"_attachments":{"y":{"stub":true,"digest":"\#(Self.digest)"}}}"#,
                parent: back.id
            )
            #expect(try renamed.attachment(named: "y")?.revpos == 5, "The database has the content.")
            let elsewhere = try put(
                bed.database,
                #"{"z":{"stub":true,"digest":"\#(Self.digest)","length":5}}"#,
                id: "b"
            )
            #expect(try elsewhere.attachment(named: "z")?.content() == Array("Hello".utf8))
            expectError(.badAttachment) {
                try put(bed.database, #"{"z":{"stub":true,"digest":"\#(Self.digest)","length":6}}"#, id: "c")
            }
        }
    }

    @Test(arguments: Storage.all) func foreignRevisionsKeepWhatTheySay(_ type: StorageType) throws {
        try withDatabase(type) { (bed) throws in
            let id = DocumentID("a")
            func insert(_ history: [String], _ entries: String) throws -> Bool {
                let body = try JSONObject([("_attachments", JSONValue(parsing: entries))])
                return try bed.database.forceInsert(id, history: history.map { try RevisionID($0) }, DocumentBody(body))
            }
            expectError(.attachmentNotFound) {
                try insert(
                    ["3-c", "2-b", "1-a"],
                    #"{"x":{"stub":true,"digest":"\#(Self.digest)","revpos":2,"length":5}}"#
                )
            }
            #expect(try insert(["3-c", "2-b", "1-a"], #"{"x":{"data":"\#(Self.data)","revpos":2}}"#))
            #expect(try bed.database["a"].read().attachment(named: "x")?.revpos == 2)
            #expect(
                try insert(
                    ["4-d", "3-c"],
                    #"{"x":{"stub":true,"digest":"\#(Self.digest)","revpos":3,"length":5,"content_type":"a/b"}}"#
                )
            )
            let taken = try #require(try bed.database["a"].read().attachment(named: "x"))
            #expect(taken.revpos == 3)
            #expect(taken.contentType == "a/b")
            // Above the generation of its revision it counts as that.
            #expect(try insert(["5-e", "4-d"], #"{"x":{"data":"\#(Self.data)","revpos":6}}"#))
            #expect(try bed.database["a"].read().attachment(named: "x")?.revpos == 5)
            #expect(try insert(["6-f", "5-e"], #"{"_theirs":{"data":"\#(Self.data)"}}"#), "Their names are theirs.")
        }
    }

    @Test(arguments: Storage.all) func deletingAndMakingAgainWithTheSameAttachmentWorks(_ type: StorageType) throws {
        try withDatabase(type) { (bed) throws in
            let document = bed.database["a"]
            try put(bed.database, #"{"x":{"data":"\#(Self.data)"}}"#)
            for round in 1...3 {
                let tombstone = try document.delete()
                #expect(try tombstone.attachmentNames == [], "Tombstones lose attachments.")
                if round == 2 { try bed.database.compact() }
                let again = try put(bed.database, #"{"x":{"data":"\#(Self.data)","revpos":1}}"#)
                #expect(try again.attachment(named: "x")?.revpos == UInt64(round * 2 + 1), "The content is new again.")
                #expect(try again.attachment(named: "x")?.content() == Array("Hello".utf8))
            }
            try document.delete()
            try bed.database.compact()
            expectError(.attachmentNotFound) {
                try put(bed.database, #"{"x":{"stub":true,"digest":"\#(Self.digest)"}}"#)
            }
            let stub = try document.put(
                json: #"{"_deleted":true,"why":"y","_attachments":{"x":{"stub":true}}}"#,
                parent: put(bed.database, #"{"x":{"data":"\#(Self.data)"}}"#).id
            )
            #expect(stub.text == #"{"why":"y"}"#)
            let given = try document.put(
                json: #"{"_deleted":true,"why":"x","_attachments":{"x":{"data":"\#(Self.data)"}}}"#
            )
            #expect(given.isDeleted)
            #expect(try given.attachment(named: "x")?.content() == Array("Hello".utf8), "Those that are given stay.")
        }
    }

    @Test(arguments: Storage.all) func stagedContentIsTakenByItsDigest(_ type: StorageType) throws {
        try withDatabase(type) { (bed) throws in
            let staged = try bed.database.stageAttachment(.bytes(Array("Hello".utf8)))
            #expect(staged.digest == Self.digest)
            #expect(staged.md5Digest == Self.md5)
            #expect(staged.length == 5)
            #expect(try bed.database.compact().blobsRemoved == 0)
            for (number, digest) in [Self.digest, Self.md5, Self.md5].enumerated() {
                let saved = try put(
                    bed.database,
                    #"{"x":{"follows":true,"digest":"\#(digest)","content_type":"a/b"}}"#,
                    id: "d\(number)"
                )
                #expect(try saved.attachment(named: "x")?.content() == Array("Hello".utf8))
                #expect(try saved.attachment(named: "x")?.digest == Self.digest)
            }
            expectError(.badAttachment) {
                try put(bed.database, #"{"x":{"follows":true,"digest":"\#(Self.digest)","length":6}}"#, id: "e")
            }
            withExtendedLifetime(staged) {}
        }
    }

    @Test(arguments: Storage.all) func gzipIsKeptAndDecoded(_ type: StorageType) throws {
        try withDatabase(type) { (bed) throws in
            // `printf 'Hello, Hello, Hello' | gzip -n`
            let encoded = "H4sIAAAAAAAAA/NIzcnJ11HwQKIAdyO+9hMAAAA="
            let text = Array("Hello, Hello, Hello".utf8)
            let bytes = try #require(Data(base64Encoded: encoded))
            for (number, more) in ["", #","length":19"#, #","length":19,"encoded_length":\#(bytes.count)"#].enumerated()
            {
                let saved = try put(
                    bed.database,
                    #"{"x":{"data":"\#(encoded)","encoding":"gzip"\#(more)}}"#,
                    id: "d\(number)"
                )
                let attachment = try #require(try saved.attachment(named: "x"))
                #expect(attachment.encoding == "gzip")
                #expect(attachment.length == 19)
                #expect(attachment.encodedLength == UInt64(bytes.count))
                #expect(try attachment.encodedContent() == Array(bytes))
                #expect(try attachment.content() == text)
                #expect(try attachment.content(in: 7..<12) == Array("Hello".utf8))
                #expect(try attachment.fileURL() == nil)
                let reader = try attachment.openReader()
                #expect(reader.length == 19)
                #expect(try reader.read(at: 14, count: 99) == Array("Hello".utf8))
                #expect(try reader.read(at: 0, count: 5) == Array("Hello".utf8), "Back to the beginning.")
                #expect(try reader.read(upTo: 6) == Array("Hello,".utf8))
                try bed.database["d\(number)"].update { $0["n"] = 1 }
                #expect(try bed.database["d\(number)"].read().attachment(named: "x")?.content() == text)
            }
        }
    }
}
