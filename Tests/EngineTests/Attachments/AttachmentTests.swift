import Foundation
import Settee
import SetteeTestSupport
import StorageConformance
import Testing

/// Setting, listing and reading attachments.
@Suite struct AttachmentTests {
    private static let greeting = Array("Hello".utf8)
    /// `printf Hello | sha1sum`, in base64.
    private static let greetingDigest = "sha1-9/+ei3uy4Jtwk1pdeF4MxdnQq/A="

    @Test(arguments: Storage.every) func anAttachmentIsWhatWasSet(_ type: StorageType) throws {
        try withDatabase(type) { (bed) throws in
            let document = bed.database["a"]
            try document.put(["title": "A"])
            let saved = try document.setAttachment(
                named: "hello.txt",
                contentType: "text/plain",
                content: Self.greeting
            )
            #expect(saved.id.generation == 2)
            #expect(
                saved.text
                    == #"{"_attachments":{"hello.txt":{"content_type":"text/plain","digest":"\#(Self.greetingDigest)","#
                    + #""length":5,"revpos":2,"stub":true}},"title":"A"}"#
            )
            try bed.reopen()
            let revision = try bed.database["a"].read()
            #expect(try revision.attachmentNames == ["hello.txt"])
            let attachment = try #require(try revision.attachment(named: "hello.txt"))
            #expect(attachment.contentType == "text/plain")
            #expect(attachment.length == 5)
            #expect(attachment.digest == Self.greetingDigest)
            #expect(attachment.revpos == 2)
            #expect(attachment.encoding == nil)
            #expect(try attachment.content() == Self.greeting)
            #expect(try attachment.encodedContent() == Self.greeting)
            #expect(try attachment.content(in: 1..<3) == Array("el".utf8))
            #expect(try attachment.content(in: 4..<400) == Array("o".utf8))
            #expect(try attachment.content(in: 5..<6) == [])
            #expect(try revision.attachment(named: "other") == nil)
        }
    }

    @Test(arguments: Storage.every) func attachmentsAreReplacedRemovedAndListed(_ type: StorageType) throws {
        try withDatabase(type) { (bed) throws in
            let document = bed.database["a"]
            for name in ["b", "a", "é", "e\u{301}"] {
                try document.setAttachment(named: name, content: Array(name.utf8))
            }
            let all = try document.read()
            #expect(
                try all.attachmentNames.map { Array($0.utf8) } == ["a", "b", "e\u{301}", "é"].map { Array($0.utf8) }
            )
            #expect(try all.attachment(named: "é")?.content() == Array("é".utf8))
            try document.setAttachment(named: "a", content: Array("new".utf8))
            let replaced = try document.read()
            #expect(try replaced.attachment(named: "a")?.content() == Array("new".utf8))
            #expect(try replaced.attachment(named: "a")?.revpos == 5)
            #expect(try replaced.attachment(named: "b")?.revpos == 1, "The others keep theirs.")
            #expect(try all.attachment(named: "a")?.content() == Array("a".utf8), "The old revision is still there.")
            #expect(try document.removeAttachment(named: "a") != nil)
            #expect(try document.removeAttachment(named: "a") == nil)
            #expect(try document.read().attachmentNames.count == 3)
            try document.put(["only": "text"], parent: try document.read().id)
            #expect(try document.read().attachmentNames == [], "What a body does not name is removed.")
        }
    }

    @Test(arguments: Storage.every) func propertiesCarryAttachmentsThroughUpdates(_ type: StorageType) throws {
        try withDatabase(type) { (bed) throws in
            let document = bed.database["a"]
            let first = try document.setAttachment(named: "x", content: Self.greeting)
            try document.update { $0["n"] = 1 }
            let second = try document.read()
            #expect(second.id.generation == 2)
            #expect(try second.attachment(named: "x")?.revpos == 1)
            #expect(try first.attachment(named: "x")?.content() == Self.greeting)
            #expect(try bed.database["missing"].removeAttachment(named: "x") == nil)
        }
    }

    @Test(arguments: Storage.every) func contentComesFromFilesAndStreamsOfUnknownLength(_ type: StorageType) throws {
        try withDatabase(type) { (bed) throws in
            let content = noise(700_001)
            let file = bed.folder.url.appending(path: "source")
            try Data(content).write(to: file)
            let document = bed.database["a"]
            try document.setAttachment(named: "file", content: .file(file))
            try document.setAttachment(named: "data", content: .data(Data(content)))
            try document.setAttachment(named: "stream", content: .stream(InputStream(data: Data(content))))
            var rest = content[...]
            let pieces = AttachmentSource.pieces {
                let piece = rest.prefix(Int.random(in: 1...40_000))
                rest = rest.dropFirst(piece.count)
                return piece.isEmpty ? nil : Array(piece)
            }
            try document.setAttachment(named: "pieces", content: pieces)
            try document.setAttachment(named: "empty", content: .pieces { nil })
            let revision = try document.read()
            for name in ["file", "data", "stream", "pieces"] {
                #expect(try revision.attachment(named: name)?.content() == content, "\(name)")
            }
            #expect(try revision.attachment(named: "empty")?.content() == [])
            #expect(try bed.database.attachmentSpace().contents == 2, "Equal contents are kept once.")

            expectApplicationError(7) {
                try document.setAttachment(named: "x", content: .pieces { throw ApplicationError(number: 7) })
            }
            expectError(.fileSystem) {
                try document.setAttachment(named: "x", content: .file(bed.folder.url.appending(path: "missing")))
            }
            #expect(try document.read().id == revision.id)
        }
    }

    @Test(arguments: Storage.every) func contentIsReadInPieces(_ type: StorageType) async throws {
        try await withDatabase(type) { (bed) async throws in
            let content = noise(300_000)
            let attachment = try #require(
                try bed.database["a"].setAttachment(named: "x", content: content).attachment(named: "x")
            )
            var read: [UInt8] = []
            try attachment.forEachPiece(of: 4097) { piece in
                #expect(piece.count == 4097 || read.count + piece.count == content.count)
                read += piece
            }
            #expect(read == content)
            read = []
            for try await piece in attachment.pieces(of: 100_000) { read += piece }
            #expect(read == content)
            let reader = try attachment.openReader()
            #expect(reader.length == 300_000)
            #expect(try reader.read(upTo: 10) == Array(content[..<10]))
            #expect(try reader.read(at: 299_990, count: 100) == Array(content[299_990...]))
            #expect(try reader.read(upTo: 10) == Array(content[10..<20]))
            expectError(.badParameter) { try reader.read(upTo: -1) }
            expectError(.badParameter) { try attachment.forEachPiece(of: 0) { _ in } }
            await expectError(.badParameter) { for try await _ in attachment.pieces(of: 0) {} }

            // What is open stays readable.
            try bed.database["a"].purge()
            try bed.database.compact()
            #expect(try reader.read(at: 0, count: 300_000) == content)
            expectError(.attachmentNotFound) { try attachment.content() }
            expectError(.attachmentNotFound) { try attachment.openReader() }
        }
    }

    @Test(arguments: Storage.every) func contentArrivesAsAnAsynchronousSequence(_ type: StorageType) async throws {
        try await withDatabase(type) { (bed) async throws in
            let content = noise(50_000)
            let pieces = AsyncStream<[UInt8]> { continuation in
                for start in stride(from: 0, to: content.count, by: 777) {
                    continuation.yield(Array(content[start..<min(start + 777, content.count)]))
                }
                continuation.finish()
            }
            let saved = try await bed.database.async.setAttachment("a", named: "x", contentType: "a/b", pieces: pieces)
            #expect(try saved.attachment(named: "x")?.content() == content)
            #expect(try saved.attachment(named: "x")?.contentType == "a/b")
            let failing = AsyncThrowingStream<[UInt8], any Error> { continuation in
                continuation.yield([1, 2, 3])
                continuation.finish(throwing: ApplicationError(number: 3))
            }
            do {
                _ = try await bed.database.async.stageAttachment(pieces: failing)
                Issue.record("The sequence's error was lost.")
            } catch { #expect(error as? ApplicationError == ApplicationError(number: 3)) }
            if let path = bed.database.path {
                let left = try FileManager.default.contentsOfDirectory(atPath: path + "/blobs-000001")
                #expect(left.allSatisfy { $0.utf8.count == 2 }, "Nothing half written is left: \(left)")
            }
        }
    }

    @Test(arguments: Storage.every) func anUnsavedRevisionCarriesAttachments(_ type: StorageType) throws {
        try withDatabase(type) { (bed) throws in
            let document = bed.database["a"]
            let first = try document.setAttachment(named: "old", content: Self.greeting)
            try document.setAttachment(named: "kept", content: [1])
            var draft = try document.read().newRevision()
            #expect(draft.attachmentNames == ["kept", "old"])
            try draft.setAttachment(named: "new", contentType: "a/b", content: [1, 2])
            try draft.setAttachment(named: "kept", content: .bytes([3]))
            let removals = [draft.removeAttachment(named: "old"), draft.removeAttachment(named: "old")]
            #expect(removals == [true, false])
            #expect(try bed.database.compact().blobsRemoved == 0, "What is not saved yet is kept.")
            let saved = try draft.save()
            #expect(try saved.attachmentNames == ["kept", "new"])
            #expect(try saved.attachment(named: "new")?.content() == [1, 2])
            #expect(try saved.attachment(named: "kept")?.content() == [3])
            #expect(try saved.attachment(named: "new")?.revpos == 3)

            // The same content again, on another branch.
            var other = try document.read().newRevision()
            other.removeAllAttachments()
            #expect(try other.save().attachmentNames == [])
            draft.properties["n"] = 1
            let branch = try draft.save(allowingConflict: true)
            #expect(try branch.attachment(named: "new")?.content() == [1, 2])

            var tombstone = try document.read().newRevision()
            tombstone.isDeleted = true
            #expect(try tombstone.save().attachmentNames == [], "A tombstone loses what its document had.")
            expectError(.attachmentNotFound) {
                try bed.database.compact()
                return try first.attachment(named: "old")?.content()
            }
        }
    }

    @Test func aFileCanBeReadInPlace() throws {
        try withDatabase(.sqlite) { (bed) throws in
            let revision = try bed.database["a"].setAttachment(named: "x", content: Self.greeting)
            let attachment = try #require(try revision.attachment(named: "x"))
            let url = try #require(try attachment.fileURL())
            #expect(try Data(contentsOf: url) == Data(Self.greeting))
            let mode = try FileManager.default.attributesOfItem(atPath: url.path)[.posixPermissions] as? Int
            #expect(try #require(mode) & 0o222 == 0, "Nobody may write it.")
        }
        try withDatabase(.memory) { (bed) throws in
            let revision = try bed.database["a"].setAttachment(named: "x", content: Self.greeting)
            #expect(try revision.attachment(named: "x")?.fileURL() == nil)
        }
    }

    @Test(arguments: Storage.every) func namesThatAreNotAllowedAreRefused(_ type: StorageType) throws {
        try withDatabase(type) { (bed) throws in
            for name in ["", "_x", "a\0b"] {
                expectError(.badAttachment, "\(name)") {
                    try bed.database["a"].setAttachment(named: name, content: Self.greeting)
                }
            }
            for name in ["a/b", "../x", ".", " ", "ä\n"] {
                try bed.database["a"].setAttachment(named: name, content: Array(name.utf8))
                let attachment = try bed.database["a"].read().attachment(named: name)
                #expect(try attachment?.content() == Array(name.utf8))
            }
            expectError(.badAttachment) {
                try bed.database["_local/x"].setAttachment(named: "x", content: Self.greeting)
            }
        }
    }

    @Test(arguments: Storage.every) func aGivenRevisionIsTheParent(_ type: StorageType) throws {
        try withDatabase(type) { (bed) throws in
            let document = bed.database["a"]
            let first = try document.put(["n": 1])
            let second = try document.setAttachment(named: "x", content: .bytes(Self.greeting), parent: first.id)
            expectError(.conflict) {
                try document.setAttachment(named: "y", content: .bytes(Self.greeting), parent: first.id)
            }
            expectError(.conflict) { try document.removeAttachment(named: "x", parent: try RevisionID("9-abc")) }
            #expect(try document.removeAttachment(named: "y", parent: second.id) == nil)
            let third = try #require(try document.removeAttachment(named: "x", parent: second.id))
            #expect(third.text == #"{"n":1}"#)
        }
    }

    @Test func aReadOnlyDatabaseGivesItsAttachments() throws {
        try withDatabase(.sqlite) { (bed) throws in
            try bed.database["a"].setAttachment(named: "x", content: Self.greeting)
            try bed.database.close()
            let reader = try Manager(directory: bed.folder.url)
            let database = try reader.database(named: "test", options: DatabaseOptions(readOnly: true))
            #expect(try database["a"].read().attachment(named: "x")?.content() == Self.greeting)
            expectError(.readOnly) { try database["a"].setAttachment(named: "y", content: Self.greeting) }
            try database.close()
        }
    }
}

/// `count` bytes, which differ by seed.
func noise(_ count: Int, seed: UInt64 = 1) -> [UInt8] {
    var random = SeededGenerator(seed: seed)
    return (0..<count).map { _ in UInt8(truncatingIfNeeded: random.next() >> 24) }
}
