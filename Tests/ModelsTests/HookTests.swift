import Foundation
import Settee
import StorageProtocol
import Testing

/// Hooks that call back: they may do anything with the model and the database.
@Suite struct HookTests {
    private final class Hooked: Model, @unchecked Sendable {
        @Stored("n") var number = 0
        let onSave = Locked<(@Sendable (Hooked) throws -> Void)?>(nil)
        let onDelete = Locked<(@Sendable (Hooked) throws -> Void)?>(nil)
        let onReload = Locked<(@Sendable (Hooked) -> Void)?>(nil)

        override func willSave(changedNames: PropertyNames) throws { try onSave.withLock { $0 }?(self) }
        override func propertiesToSaveForDeletion() throws -> JSONObject {
            try onDelete.withLock { $0 }?(self)
            return ["last": .int(Int64(number))]
        }
        override func didReload() { onReload.withLock { $0 }?(self) }
    }

    private func hooked(
        _ db: Database,
        _ id: String,
        onSave: (@Sendable (Hooked) throws -> Void)? = nil
    ) throws -> Hooked {
        let model = try db.models.model(Hooked.self, id: id)
        model.onSave.withLock { $0 = onSave }
        return model
    }

    /// It used to be written again, empty.
    @Test(arguments: Storage.all) func aModelDeletedByItsHookIsNotSaved(_ type: StorageType) throws {
        try withDatabase(type) { db in
            try db["h"].put(["n": 1])
            let model = try hooked(db, "h") { try $0.delete() }
            model.number = 2
            #expect(try model.save() == nil)
            #expect(model.isDeleted && !model.needsSave)
            #expect(try db["h"].revision()?.isDeleted == true)
            #expect(try db["h"].revision()?.id.generation == 2)
            let fresh = try hooked(db, "new") { try $0.delete() }
            #expect(try fresh.save() == nil)
            #expect(try db["new"].revision() == nil)
        }
    }

    /// A model that its hook deleted in a transaction that was rolled back could no longer be saved.
    @Test(arguments: Storage.all) func aDeletionByAHookIsRolledBack(_ type: StorageType) throws {
        try withDatabase(type) { db in
            try db["h"].put(["n": 1])
            let model = try hooked(db, "h") { try $0.delete() }
            model.number = 2
            expectApplicationError {
                try db.inTransaction {
                    try model.save()
                    throw ApplicationError()
                }
            }
            model.onSave.withLock { $0 = nil }
            #expect(!model.isDeleted && model.number == 2 && model.needsSave)
            try model.save()
            #expect(try db["h"].read()["n"] == 2)
            try model.delete()
            #expect(try !db["h"].exists)
        }
    }

    @Test(arguments: Storage.all) func editsThatTheHookTakesBackAreNotSaved(_ type: StorageType) throws {
        try withDatabase(type) { db in
            try db["h"].put(["n": 1])
            let model = try hooked(db, "h") { $0.revert() }
            model.number = 2
            #expect(try model.save() == nil)
            #expect(try db["h"].read().id.generation == 1)
        }
    }

    @Test(arguments: Storage.all) func theHookTakesUpWhatOthersSaved(_ type: StorageType) throws {
        try withDatabase(type) { db in
            try db["h"].put(["n": 1, "x": 1])
            let model = try hooked(db, "h") { try $0.reload() }
            try db["h"].update { $0["x"] = 2 }
            model.number = 2
            try model.save()
            #expect(try db["h"].properties == ["n": 2, "x": 2])
            model.onSave.withLock { $0 = { model in try model.update { model["y"] = 1 } } }
            model.number = 3
            try model.save()
            #expect(try db["h"].properties == ["n": 3, "x": 2, "y": 1])
        }
    }

    @Test(arguments: Storage.all) func deletionHooksThatCallBack(_ type: StorageType) throws {
        try withDatabase(type) { db in
            for id in ["delete", "save"] {
                try db[id].put(["n": 1])
                let model = try hooked(db, id)
                model.onDelete.withLock {
                    $0 = { model in
                        model.number += 1
                        if model.id == "save" { try model.save() } else { try model.delete() }
                    }
                }
                try model.delete()
                #expect(try db[id].revision()?.properties == ["last": 2])
                #expect(model.isDeleted)
            }
            try db["throw"].put(["n": 1])
            let model = try hooked(db, "throw")
            model.onDelete.withLock { $0 = { _ in throw ApplicationError(number: 5) } }
            expectApplicationError(5) { try model.delete() }
            #expect(!model.isDeleted && model.number == 1)
            #expect(try db["throw"].exists)
            model.onDelete.withLock { $0 = nil }
            try model.delete()
            #expect(try !db["throw"].exists)
        }
    }

    @Test(arguments: Storage.all) func hooksOfManyModels(_ type: StorageType) throws {
        try withDatabase(type) { db in
            let second = try hooked(db, "b")
            second.number = 1
            let first = try hooked(db, "a") { _ in try second.delete() }
            first.number = 1
            second["x"] = 1
            // The second is deleted before its turn comes, or after it.
            try db.models.saveAll()
            #expect(try db["a"].exists && !db["b"].exists)

            // Each saves the other.
            let left = try hooked(db, "left")
            let right = try hooked(db, "right") { _ in try left.save() }
            left.onSave.withLock { $0 = { _ in try right.save() } }
            left.number = 1
            right.number = 2
            try left.save()
            #expect(try db["left"].read()["n"] == 1 && db["right"].read()["n"] == 2)

            // If one refuses, all are rolled back.
            left.number = 3
            right.number = 4
            let none: (@Sendable (Hooked) throws -> Void)? = nil
            left.onSave.withLock { $0 = none }
            right.onSave.withLock { $0 = { _ in throw ApplicationError(number: 6) } }
            expectApplicationError(6) { try db.models.saveAll() }
            #expect(left.needsSave && right.needsSave)
            #expect(try db["left"].read()["n"] == 1)
            right.revert()
            try db.models.saveAll()
            #expect(try db["left"].read()["n"] == 3)
        }
    }

    @Test(arguments: Storage.all) func afterAReloadAnythingGoes(_ type: StorageType) throws {
        try withDatabase(type) { db in
            try db["h"].put(["n": 1])
            let model = try hooked(db, "h")
            model.onReload.withLock {
                $0 = { model in
                    model.number += 1
                    _ = try? model.save()
                    try? model.reload()
                }
            }
            try db["h"].update { $0["n"] = 10 }
            try model.reload()
            #expect(try db["h"].read()["n"] == 11)
        }
    }

    /// A failed update reset the model to its state from before it waited for its turn, in the middle of the next
    /// thread's update, which ended in a conflict.
    @Test(arguments: Storage.all) func aFailedUpdateDisturbsNoOther(_ type: StorageType) throws {
        try withDatabase(type) { db in
            try db["c"].put(["n": 0])
            let counts = try db.document(of: [String: Int].self, id: "c")
            DispatchQueue.concurrentPerform(iterations: 4) { worker in
                for _ in 0..<50 {
                    if worker == 0 {
                        expectApplicationError {
                            try counts.update {
                                $0["n", default: 0] += 1
                                throw ApplicationError()
                            }
                        }
                    } else {
                        do { try counts.update { $0["n", default: 0] += 1 } } catch { Issue.record(error) }
                    }
                }
            }
            #expect(try db["c"].read()["n"] == 150)
        }
    }
}
