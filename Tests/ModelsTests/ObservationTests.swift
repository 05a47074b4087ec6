import Foundation
import Observation
import Settee
import StorageProtocol
import Testing

/// Models are observed with the Observation framework: observers of what was read are notified when it changes, whoever
/// changes it.
@Suite struct ObservationTests {
    private final class Flag: Sendable {
        private let count = Locked(0)
        var isRaised: Bool { count.withLock { $0 } > 0 }
        func raise() { count.withLock { $0 += 1 } }
    }

    /// Whether `change` changes what `read` reads.
    private func tells(_ read: () -> Void, _ change: () throws -> Void) rethrows -> Bool {
        let flag = Flag()
        withObservationTracking(read) { flag.raise() }
        try change()
        return flag.isRaised
    }

    @Test(arguments: Storage.all) func propertiesOfClassesOneByOne(_ type: StorageType) throws {
        try withDatabase(type) { db in
            let entry = try db.models.model(Entry.self, id: "e")
            #expect(tells({ _ = entry.title }) { entry.title = "a" })
            #expect(!tells({ _ = entry.title }) { entry.count += 1 })
            #expect(!tells({ _ = entry.title }) { entry.title = "a" })
            #expect(!tells({}) { entry.title = "b" })
            #expect(tells({ _ = entry["title"] }) { entry.title = "c" })
            #expect(tells({ _ = entry.title }) { entry["title"] = "d" })
            #expect(tells({ _ = entry["extra"] }) { entry["extra"] = [1] })
            #expect(!tells({ _ = entry["extra"] }) { entry["other"] = 1 })
            #expect(tells({ _ = entry.properties }) { entry["other"] = 2 })
            #expect(tells({ _ = try? entry.value(Int.self, of: "other") }) { entry.setValue(3, of: "other") })
            #expect(tells({ _ = entry.ratio }) { entry.ratio = 0.5 })
            #expect(tells({ _ = entry.ratio }) { entry.revert() })
            #expect(tells({ _ = entry.needsSave }) { entry.ratio = .nan })
        }
    }

    @Test(arguments: Storage.all) func whereTheModelStands(_ type: StorageType) throws {
        try withDatabase(type) { db in
            let entry = try db.models.model(Entry.self, id: "e")
            #expect(tells({ _ = entry.needsSave }) { entry.title = "a" })
            #expect(tells({ _ = entry.changedNames }) { entry.count = 1 })
            #expect(try tells({ _ = entry.isNew }) { try entry.save() })
            entry.title = "b"
            #expect(try tells({ _ = entry.needsSave }) { try entry.save() })
            entry.title = "c"
            #expect(try tells({ _ = entry.revisionID }) { try entry.save() })
            #expect(try tells({ _ = entry["_rev"] }) { try entry.update { entry.title = "d" } })
            #expect(try !tells({ _ = entry.title }) { try entry.save() })
            #expect(
                try tells({ _ = entry.attachmentNames }) {
                    try entry.setAttachment(named: "x", content: .bytes([1]))
                }
            )
            #expect(try !tells({ _ = entry.title }) { try entry.save() })
            #expect(tells({ _ = entry.attachmentNames }) { _ = entry.removeAttachment(named: "x") })
            #expect(try tells({ _ = entry.isDeleted }) { try entry.delete() })
        }
    }

    @Test(arguments: Storage.all) func changesByOthers(_ type: StorageType) async throws {
        try await withDatabase(type) { db in
            try db["e"].put(["title": "a", "count": 1])
            let entry = try db.models.model(Entry.self, id: "e")
            try db["e"].update { $0["title"] = "b" }
            #expect(try tells({ _ = entry.title }) { try entry.reload() })
            try db["e"].update { $0["title"] = "c" }
            #expect(try !tells({ _ = entry.count }) { try entry.reload() })
            try db["e"].update { $0["title"] = "d" }
            #expect(try tells({ _ = entry.title }) { _ = try db.models.model(Entry.self, id: "e") })
            try db["e"].setAttachment(named: "x", content: [1])
            #expect(try tells({ _ = entry.attachmentNames }) { try entry.reload() })

            db.models.followsChanges = true
            let flag = Flag()
            withObservationTracking {
                _ = entry.title
            } onChange: {
                flag.raise()
            }
            try db["e"].update { $0["title"] = "e" }
            try await eventually { flag.isRaised }
            #expect(entry.title == "e")
            db.models.followsChanges = false
            try db["e"].delete()
            #expect(try tells({ _ = entry.title }) { try entry.reload() })
        }
    }

    @Test(arguments: Storage.all) func valuesOfDocuments(_ type: StorageType) throws {
        try withDatabase(type) { db in
            try db["n"].put(["title": "a", "color": "red"])
            let note = try db.document(of: Note.self, id: "n")
            #expect(tells({ _ = note.model }) { note.model?.title = "b" })
            #expect(tells({ _ = note.model?.title }) { note["title"] = "c" })
            #expect(!tells({ _ = note["color"] }) { note.model?.title = "d" })
            #expect(tells({ _ = note.model }) { note.revert() })
            #expect(try tells({ _ = note.model }) { try note.edit { $0.title = "e" } })
            #expect(try tells({ _ = note.model }) { try note.update { $0.title = "f" } })
            #expect(try !tells({ _ = note.model?.title }) { _ = try note.save() })
            try db["n"].update { $0["title"] = "g" }
            #expect(try tells({ _ = note.model }) { try note.reload() })
            #expect(tells({ _ = note.model }) { note.model = nil })
        }
    }

    /// Changes that are undone are reported too.
    @Test(arguments: Storage.all) func whatIsTakenBack(_ type: StorageType) throws {
        try withDatabase(type) { db in
            try db["e"].put(["title": "a"])
            let entry = try db.models.model(Entry.self, id: "e")
            let told = Flag()
            expectApplicationError {
                try entry.update {
                    entry.title = "b"
                    withObservationTracking {
                        _ = entry.title
                    } onChange: {
                        told.raise()
                    }
                    throw ApplicationError()
                }
            }
            #expect(told.isRaised && entry.title == "a")

            let status = Flag()
            expectApplicationError {
                try db.inTransaction {
                    entry.title = "c"
                    try entry.save()
                    withObservationTracking {
                        _ = entry.needsSave
                    } onChange: {
                        status.raise()
                    }
                    throw ApplicationError()
                }
            }
            #expect(status.isRaised && entry.needsSave)
        }
    }

    /// An observer that looks at once sees the new value, and may call the model and the database.
    @Test(arguments: Storage.all) func observersLookAgain(_ type: StorageType) throws {
        try withDatabase(type) { db in
            let entry = try db.models.model(Entry.self, id: "e")
            let seen = Locked<[String]>([])
            @Sendable func observe() {
                withObservationTracking {
                    _ = entry.title
                } onChange: {
                    seen.withLock { $0.append(entry.title) }
                    if entry.title == "b" { _ = try? entry.save() }
                    observe()
                }
            }
            observe()
            for title in ["a", "b", "c"] { entry.title = title }
            #expect(seen.withLock { $0 } == ["a", "b", "c"])
            #expect(try db["e"].read()["title"] == "b")
        }
    }

    /// No change is missed, whatever threads read and edit, by an observer that reads once more when it is registered:
    /// `withObservationTracking` registers only after its closure has read.
    @Test(arguments: Storage.all) func manyThreads(_ type: StorageType) async throws {
        try await withDatabase(type) { db in
            let entry = try db.models.model(Entry.self, id: "e")
            let seen = Locked(0)
            @Sendable func observe() {
                let count = withObservationTracking {
                    entry.count
                } onChange: {
                    DispatchQueue.global().async { observe() }
                }
                let latest = entry.count
                seen.withLock { $0 = max($0, count, latest) }
            }
            observe()
            for number in 1...500 { entry.count = number }
            try await eventually { seen.withLock { $0 } == 500 }
        }
    }
}
