import Foundation
import Settee
import Testing

/// Attachments of models, and models that follow what others save.
@Suite struct AttachmentTests {
    @Test(arguments: Storage.all) func attachmentsAreSavedWithTheModel(_ type: StorageType) throws {
        try withDatabase(type) { db in
            let note = try db.makeDocument(Note(title: "a"))
            try note.setAttachment(named: "photo", contentType: "image/png", content: .bytes([1, 2, 3]))
            #expect(note.attachmentNames == ["photo"])
            #expect(try note.attachment(named: "photo")?.content() == [1, 2, 3])
            try note.save()
            #expect(!note.needsSave)
            #expect(try note.attachment(named: "photo")?.content() == [1, 2, 3])
            #expect(try note.attachment(named: "photo")?.contentType == "image/png")

            note.model?.title = "b"
            try note.save()
            #expect(try note.attachment(named: "photo")?.content() == [1, 2, 3])

            try note.setAttachment(named: "photo", content: .bytes([4]))
            note.revert()
            #expect(!note.needsSave)
            #expect(try note.attachment(named: "photo")?.content() == [1, 2, 3])

            #expect(note.removeAttachment(named: "photo"))
            #expect(!note.removeAttachment(named: "photo"))
            try note.save()
            #expect(try db[note.id].read().attachmentNames == [])
            #expect(note.model?.title == "b")
        }
    }

    @Test(arguments: Storage.all) func aRolledBackAttachmentCanBeSavedLater(_ type: StorageType) throws {
        try withDatabase(type) { db in
            let note = try db.makeDocument(Note(title: "a"))
            try note.setAttachment(named: "x", content: .bytes([7]))
            expectApplicationError {
                try db.inTransaction {
                    try note.save()
                    throw ApplicationError()
                }
            }
            #expect(note.needsSave)
            try note.save()
            #expect(try note.attachment(named: "x")?.content() == [7])
        }
    }

    @Test(arguments: Storage.all) func modelsFollowWhatOthersSave(_ type: StorageType) async throws {
        try await withDatabase(type) { db in
            try db["n"].put(["title": "a"])
            try db["m"].put(["title": "a"])
            db.models.followsChanges = true
            let note = try db.document(of: Note.self, id: "n")
            let edited = try db.document(of: Note.self, id: "m")
            edited.model?.title = "mine"
            try db["m"].update { $0["title"] = "theirs" }
            try db["n"].update { $0["title"] = "b" }
            try await eventually { note.model?.title == "b" }
            #expect(edited.model?.title == "mine" && edited.needsSave)
            for step in 0..<50 { try note.update { $0.title = "\(step)" } }
            try db["n"].delete()
            try await eventually { note.isDeleted }
            db.models.followsChanges = false
        }
    }
}
