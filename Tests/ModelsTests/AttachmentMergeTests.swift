import Foundation
import Settee
import StorageProtocol
import Testing

/// Attachments are merged one by one: what a model set or removed itself wins, everything else is as others left it.
/// They used to be one property, so that a model with one edited attachment dropped what others had added in the
/// meantime.
@Suite struct AttachmentMergeTests {
    /// How others change attachments.
    enum Writer: CaseIterable, Sendable {
        case put, attachment, secondHandle, forceInsert

        func write(_ db: Database, _ id: String, _ change: (inout JSONObject) -> Void) throws {
            let document = db[id]
            switch self {
            case .put, .attachment:
                let current = try document.read()
                var properties = try current.properties
                change(&properties)
                try document.put(properties, parent: current.id)
            case .secondHandle:
                // Another class for the same document is another live object.
                let other = try db.models.model(Stranger.self, id: id)
                var properties = other.properties
                change(&properties)
                try db[id].put(properties, parent: other.revisionID)
            case .forceInsert:
                let current = try document.read()
                var properties = try current.properties
                change(&properties)
                let next = try RevisionID("\(current.id.generation + 1)-\(String(repeating: "f", count: 32))")
                try document.forceInsert(properties, history: [next, current.id])
            }
        }
    }

    final class Stranger: Model, @unchecked Sendable {}

    /// How a model picks up what others saved, with its own edits.
    enum Way: CaseIterable, Sendable {
        case reloadAndSave, update, saveAll, autosave

        func save(_ note: ModelDocument<Note>, _ db: Database) throws {
            switch self {
            case .reloadAndSave:
                expectError(.conflict) { try note.save() }
                try note.reload()
                try note.save()
            case .update: try note.update { (_: inout Note) in }
            case .saveAll:
                expectError(.conflict) { try db.models.saveAll() }
                try note.reload()
                try db.models.saveAll()
            case .autosave:
                db.models.autosaveDelay = .seconds(1000)
                note.autosaves = true
                expectError(.conflict) { try db.models.flush() }
                try note.reload()
                try db.models.flush()
            }
        }
    }

    private func inline(_ bytes: [UInt8]) -> JSONValue {
        ["data": .string(Data(bytes).base64EncodedString()), "content_type": "x/y"]
    }

    private func contents(_ db: Database, _ id: DocumentID) throws -> [String: [UInt8]] {
        var contents: [String: [UInt8]] = [:]
        for attachment in try db[id].read().attachments { contents[attachment.name] = try attachment.content() }
        return contents
    }

    @Test(arguments: Storage.all, Way.allCases)
    func ownChangesWinAndAllElseIsTheirs(_ type: StorageType, _ way: Way) throws {
        try withDatabase(type) { db in
            for writer in Writer.allCases {
                let id = "\(writer)"
                var entries = JSONObject()
                for name in ["replaced", "removed", "mineAndTheirs", "mine", "mineGone", "left"] {
                    entries[name] = inline([0])
                }
                try db[id].put(["title": "a", "_attachments": .object(entries)])
                let note = try db.document(of: Note.self, id: id)
                try note.setAttachment(named: "new", contentType: "a/b", content: .bytes([1]))
                try note.setAttachment(named: "mine", content: .bytes([2]))
                try note.setAttachment(named: "mineAndTheirs", content: .bytes([3]))
                #expect(note.removeAttachment(named: "mineGone"))

                try writer.write(db, id) { properties in
                    var entries = properties["_attachments"]?.objectValue ?? [:]
                    entries["added"] = inline([10])
                    entries["replaced"] = inline([11])
                    entries["mineAndTheirs"] = inline([12])
                    entries["mineGone"] = inline([13])
                    entries["removed"] = nil
                    properties["_attachments"] = .object(entries)
                    properties["title"] = "theirs"
                }
                try way.save(note, db)
                #expect(
                    try contents(db, DocumentID(id)) == [
                        "added": [10], "replaced": [11], "left": [0], "new": [1], "mine": [2], "mineAndTheirs": [3],
                    ],
                    "\(writer)"
                )
                #expect(note.model?.title == "theirs" && !note.needsSave)
                #expect(note.attachmentNames == ["added", "left", "mine", "mineAndTheirs", "new", "replaced"])
                #expect(try note.attachment(named: "replaced")?.content() == [11])
                #expect(try note.attachment(named: "new")?.contentType == "a/b")
            }
        }
    }

    @Test(arguments: Storage.all) func allOfTheirsGone(_ type: StorageType) throws {
        try withDatabase(type) { db in
            try db["n"].put(["title": "a", "_attachments": ["x": inline([1]), "y": inline([2])]])
            let note = try db.document(of: Note.self, id: "n")
            note.model?.title = "b"
            #expect(note.removeAttachment(named: "x"))
            try db["n"].update { $0["_attachments"] = nil }
            try note.reload()
            #expect(note.attachmentNames == [] && Array(note.changedNames) == ["title"])
            try note.save()
            #expect(try db["n"].text == #"{"title":"b"}"#)
        }
    }

    /// What the model added stays; what it did not change was deleted with the document.
    @Test(arguments: Storage.all) func ofADeletedDocument(_ type: StorageType) throws {
        try withDatabase(type) { db in
            try db["n"].put(["title": "a", "_attachments": ["x": inline([1])]])
            let note = try db.document(of: Note.self, id: "n")
            try note.setAttachment(named: "y", content: .bytes([2]))
            try db["n"].delete()
            _ = try db.compact()
            try note.reload()
            #expect(note.attachmentNames == ["y"])
            try note.save()
            #expect(try contents(db, "n") == ["y": [2]])
            #expect(note.model?.title == "a")
        }
    }

    @Test(arguments: Storage.all) func revertTakesTheirs(_ type: StorageType) throws {
        try withDatabase(type) { db in
            try db["n"].put(["title": "a", "_attachments": ["x": inline([1])]])
            let note = try db.document(of: Note.self, id: "n")
            try note.setAttachment(named: "y", content: .bytes([2]))
            #expect(note.removeAttachment(named: "x"))
            try db["n"].setAttachment(named: "z", content: [3])
            try note.reload()
            #expect(note.attachmentNames == ["y", "z"])
            note.revert()
            #expect(note.attachmentNames == ["x", "z"] && !note.needsSave)
            #expect(try note.attachment(named: "y") == nil)
            #expect(try note.attachment(named: "z")?.content() == [3])
        }
    }

    /// Two saves in a transaction that is rolled back: what the first one saved was considered stored.
    @Test(arguments: Storage.all) func rolledBackTwice(_ type: StorageType) throws {
        try withDatabase(type) { db in
            let note = try db.makeDocument(Note(title: "a"))
            expectApplicationError {
                try db.inTransaction {
                    try note.setAttachment(named: "x", content: .bytes([1]))
                    try note.save()
                    try note.setAttachment(named: "y", content: .bytes([2]))
                    try note.save()
                    try note.setAttachment(named: "z", content: .bytes([3]))
                    throw ApplicationError()
                }
            }
            #expect(note.needsSave && note.attachmentNames == ["x", "y", "z"])
            #expect(try note.attachment(named: "x")?.content() == [1])
            _ = try db.compact()
            try note.save()
            #expect(try contents(db, note.id) == ["x": [1], "y": [2], "z": [3]])
        }
    }

    @Test(arguments: Storage.all) func pendingContentIsReadAtOnce(_ type: StorageType) throws {
        try withDatabase(type) { db in
            let file = FileManager.default.temporaryDirectory.appending(path: "settee-\(UUID().uuidString)")
            defer { try? FileManager.default.removeItem(at: file) }
            let long = (0..<300_000).map { UInt8(truncatingIfNeeded: $0 &* 7) }
            try Data(long).write(to: file)
            let note = try db.makeDocument(Note(title: "a"))
            let sources: [(String, AttachmentSource, [UInt8])] = [
                ("bytes", .bytes([1, 2]), [1, 2]),
                ("data", .data(Data([3])), [3]),
                ("empty", .bytes([]), []),
                ("file", .file(file), long),
                ("stream", .stream(InputStream(data: Data(long))), long),
                ("staged", .staged(try db.stageAttachment(.bytes([4]))), [4]),
            ]
            for (name, source, _) in sources {
                try note.setAttachment(named: name, contentType: "text/plain", content: source)
            }
            #expect(note.attachmentNames == sources.map(\.0).sorted())
            for (name, _, content) in sources {
                let pending = try #require(try note.attachment(named: name))
                #expect(pending.name == name && pending.contentType == "text/plain" && pending.revpos == 0)
                #expect(pending.length == UInt64(content.count) && pending.encoding == nil)
                #expect(try pending.content() == content)
                #expect(try pending.content(in: 1..<5) == Array(content.dropFirst().prefix(4)))
                #expect(try pending.openReader().read(upTo: 10) == Array(content.prefix(10)))
                #expect(try pending.fileURL() == nil)
            }
            let kept = try #require(try note.attachment(named: "file"))
            let reader = try kept.openReader()
            #expect(note.removeAttachment(named: "bytes"))
            #expect(try note.attachment(named: "bytes") == nil)
            #expect(!note.attachmentNames.contains("bytes"))
            try note.setAttachment(named: "data", content: .bytes([9, 9]))
            #expect(try note.attachment(named: "data")?.content() == [9, 9])
            #expect(try note.attachment(named: "data")?.contentType == nil)

            try note.save()
            #expect(try kept.content() == long)
            #expect(try reader.read(upTo: 1 << 20) == long)
            #expect(try note.attachment(named: "file")?.content() == long)
            #expect(try note.attachment(named: "file")?.revpos == 1)
            #expect(try note.attachment(named: "bytes") == nil)

            try note.setAttachment(named: "file", content: .bytes([5]))
            #expect(try note.attachment(named: "file")?.content() == [5])
            note.revert()
            #expect(try note.attachment(named: "file")?.content() == long)
            #expect(note.removeAttachment(named: "file"))
            #expect(try note.attachment(named: "file") == nil)
        }
    }

    /// What was read before others saved is what the model still shows.
    @Test(arguments: Storage.all) func anOvertakenModelKeepsShowingItsOwn(_ type: StorageType) throws {
        try withDatabase(type) { db in
            try db["n"].put(["title": "a", "_attachments": ["x": inline([1])]])
            let note = try db.document(of: Note.self, id: "n")
            try db["n"].setAttachment(named: "x", content: [2])
            #expect(try note.attachment(named: "x")?.content() == [1])
            _ = try db.compact()
            expectError(.attachmentNotFound) { try note.attachment(named: "x")?.content() }
            try note.reload()
            #expect(try note.attachment(named: "x")?.content() == [2])
        }
    }

    @Test(arguments: Storage.all) func insideUpdate(_ type: StorageType) throws {
        try withDatabase(type) { db in
            try db["e"].put(["title": "a", "_attachments": ["x": inline([1]), "y": inline([2])]])
            let entry = try db.models.model(Entry.self, id: "e")
            try db["e"].setAttachment(named: "z", content: [3])
            try entry.update {
                try entry.setAttachment(named: "new", content: .bytes([4]))
                #expect(try entry.attachment(named: "new")?.content() == [4])
                #expect(entry.removeAttachment(named: "y"))
                #expect(entry.attachmentNames == ["new", "x", "z"])
            }
            #expect(try contents(db, "e") == ["x": [1], "z": [3], "new": [4]])
            expectApplicationError {
                try entry.update {
                    try entry.setAttachment(named: "never", content: .bytes([5]))
                    throw ApplicationError()
                }
            }
            #expect(entry.attachmentNames == ["new", "x", "z"] && !entry.needsSave)
        }
    }

    /// A dictionary declares any member, but attachments are not among its members.
    @Test(arguments: Storage.all) func ofDictionaries(_ type: StorageType) throws {
        try withDatabase(type) { db in
            try db["n"].put(["a": 1, "_attachments": ["x": inline([1])]])
            let counts = try db.document(of: [String: Int].self, id: "n")
            #expect(try counts.read() == ["a": 1])
            counts.model = ["b": 2]
            try counts.save()
            #expect(try contents(db, "n") == ["x": [1]])
            let json = try db.document(of: JSONObject.self, id: "n")
            #expect(try json.read() == ["b": 2])
            json.model?["c"] = 3
            try json.save()
            #expect(try contents(db, "n") == ["x": [1]])
            #expect(try db["n"].read()["c"] == 3)
        }
    }
}
