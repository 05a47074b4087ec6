import Settee
import SetteeTestSupport
import Synchronization
import Testing

/// `update` reads, changes and saves, repeatedly until no other writer intervenes.
@Suite struct UpdateTests {
    @Test(arguments: Storage.all) func anUpdateCreatesChangesAndRevives(_ type: StorageType) throws {
        try withDatabase(type) { (bed) throws in
            let document = bed.database["x"]
            let first = try document.update { properties in
                #expect(properties.isEmpty)
                properties["n"] = 1
            }
            #expect(first?.id.generation == 1)
            #expect(try document.update { $0["m"] = 2 }?.text == #"{"m":2,"n":1}"#)
            try document.delete()
            let revived = try document.update { properties in
                #expect(properties.isEmpty)
                properties["back"] = true
            }
            #expect(revived?.text == #"{"back":true}"#)
            #expect(revived?.id.generation == 4)
        }
    }

    @Test(arguments: Storage.all) func aCancelledUpdateSavesNothing(_ type: StorageType) async throws {
        try await withDatabase(type) { bed in
            let database = bed.database
            let saved = try database["x"].put(["n": 1])
            let outcome = try database["x"].update { properties in
                properties["n"] = 2
                throw UpdateCancelled()
            }
            #expect(outcome == nil)
            let stop: @Sendable (inout JSONObject) throws -> Void = { _ in throw UpdateCancelled() }
            #expect(try database["y"].update(stop) == nil)
            let revision = try database["y"].updateRevision { _ in throw UpdateCancelled() }
            #expect(revision == nil)
            let later = try await database.async.update("y", stop)
            #expect(later == nil)
            let inside = try database.inTransaction { try database["_local/y"].update(stop) }
            #expect(inside == nil)
            #expect(try database["x"].read().id == saved.id)
            #expect(try database.lastSequence == 1)
        }
    }

    /// A closure whose last line happened to be a false Boolean lost its change.
    @Test(arguments: Storage.all) func aBooleanAtTheEndMeansNothing(_ type: StorageType) throws {
        try withDatabase(type) { (bed) throws in
            try bed.database["x"].put(["n": 1])
            let saved = try bed.database["x"].updateRevision { $0.removeAttachment(named: "none") }
            #expect(saved?.id.generation == 2)
            #expect(try bed.database["x"].removeAttachment(named: "none") == nil)
        }
    }

    /// `update` took any 409 and 404 for another writer's, and repeated for ever if a validation function threw one.
    @Test(arguments: Storage.all, ["x", "_local/x"])
    func onlyAnotherWriterStartsItAnew(_ type: StorageType, _ id: String) throws {
        try withDatabase(type) { (bed) throws in
            let database = bed.database
            try database[id].put(["n": 1])
            for code in [StorageError.Code.conflict, .notFound, .exists] {
                let runs = Atomic(0)
                if id.hasPrefix("_") {
                    expectError(code) {
                        try database[id].update { _ in
                            runs.add(1, ordering: .relaxed)
                            throw StorageError(code, "by the closure")
                        }
                    }
                } else {
                    database.setValidation("never") { _, _ in
                        runs.add(1, ordering: .relaxed)
                        throw StorageError(code, "by a validation")
                    }
                    expectError(code) { try database[id].update { $0["n"] = 2 } }
                    database.setValidation("never", nil)
                }
                let count = runs.load(ordering: .relaxed)
                #expect(count == 1)
            }
            #expect(try database[id]["n"] == 1)
        }
    }

    /// A `_rev` set by the closure does not count as another writer.
    @Test(arguments: Storage.all) func aRevisionThatTheClosureNamesIsItsOwnBusiness(_ type: StorageType) throws {
        try withDatabase(type) { (bed) throws in
            let document = bed.database["x"]
            try document.put(["n": 1])
            expectError(.badRequest) { try document.update { $0["_rev"] = "1-a" } }
            try document.delete()
            expectError(.badRequest) { try document.update { $0["_rev"] = "1-a" } }
        }
    }

    @Test func whoIsAlwaysOvertakenIsToldInTheEnd() throws {
        let bed = try TestDatabase(.memory)
        let options = DatabaseOptions(storageType: .memory, busyTimeout: .zero)
        let database = try bed.manager.database(named: "impatient", options: options)
        try database["x"].put(["n": 0])
        let runs = Atomic(0)
        expectError(.conflict) {
            try database["x"].update { _ in
                let run = runs.add(1, ordering: .relaxed).newValue
                try Background { try database["x"].put(["n": .int(Int64(run))], parent: database["x"].read().id) }
                    .join()
            }
        }
        let count = runs.load(ordering: .relaxed)
        #expect(count == 1000)
        try bed.manager.close()
    }

    @Test(arguments: Storage.all) func whatTheClosureThrowsComesOut(_ type: StorageType) throws {
        try withDatabase(type) { (bed) throws in
            let saved = try bed.database["x"].put(["n": 1])
            expectApplicationError(7) {
                try bed.database["x"].update { properties in
                    properties["n"] = 2
                    throw ApplicationError(number: 7)
                }
            }
            #expect(try bed.database["x"].read().id == saved.id)
        }
    }

    @Test(arguments: Storage.all) func anUpdateCanDelete(_ type: StorageType) throws {
        try withDatabase(type) { (bed) throws in
            try bed.database["x"].put(["n": 1])
            #expect(try bed.database["x"].update { $0["_deleted"] = true }?.isDeleted == true)
            #expect(try bed.database.documentCount == 0)
        }
    }

    @Test(arguments: Storage.all) func aWriterThatCameBetweenIsNotOverwritten(_ type: StorageType) throws {
        try withDatabase(type) { (bed) throws in
            let database = bed.database
            try database["x"].put(["mine": 0, "theirs": 0])
            let runs = Atomic(0)
            try database["x"].update { properties in
                let run = runs.add(1, ordering: .relaxed).newValue
                if run <= 3 {
                    try Background {
                        try database["x"].put(["theirs": .int(Int64(run))], parent: database["x"].read().id)
                    }.join()
                }
                properties["mine"] = .int(Int64(run))
            }
            let count = runs.load(ordering: .relaxed)
            #expect(count == 4)
            #expect(try database["x"].read().text == #"{"mine":4,"theirs":3}"#)
        }
    }

    @Test(arguments: Storage.all) func deletionAndPurgeInBetweenStartAnew(_ type: StorageType) throws {
        try withDatabase(type) { (bed) throws in
            let database = bed.database
            for purges in [false, true] {
                let document = database["doc-\(purges)"]
                try document.put(["old": true])
                let runs = Atomic(0)
                try document.update { properties in
                    if runs.add(1, ordering: .relaxed).newValue == 1 {
                        try Background { if purges { try document.purge() } else { try document.delete() } }.join()
                    }
                    properties["new"] = true
                }
                #expect(try document.read().text == #"{"new":true}"#)
            }
        }
    }

    @Test(arguments: Storage.all, ["counter", "_local/counter"])
    func nothingIsLostUnderContention(_ type: StorageType, _ id: String) throws {
        try withDatabase(type) { (bed) throws in
            let database = bed.database
            try onThreads(8) { number in
                for _ in 0..<25 {
                    try database[id].update { properties in
                        properties["n"] = .int((properties["n"]?.intValue ?? 0) + 1)
                        let own = "t\(number)"
                        properties[own] = .int((properties[own]?.intValue ?? 0) + 1)
                    }
                }
            }
            let properties = try #require(try database[id].properties)
            #expect(properties["n"] == 200)
            for number in 0..<8 { #expect(properties["t\(number)"] == 25) }
            #expect(try database[id].read().id.generation == 200)
        }
    }

    @Test(arguments: Storage.all) func updatesInsideATransactionJoinIt(_ type: StorageType) throws {
        try withDatabase(type) { (bed) throws in
            let database = bed.database
            expectApplicationError {
                try database.inTransaction {
                    try database["x"].update { $0["n"] = 1 }
                    try database["x"].update { $0["n"] = .int(($0["n"]?.intValue ?? 0) + 1) }
                    #expect(try database["x"]["n"] == 2)
                    throw ApplicationError()
                }
            }
            #expect(try database["x"].revision() == nil)
        }
    }

    @Test(arguments: Storage.plain) func theClosureMustNotCallItsDatabase(_ type: StorageType) throws {
        try withDatabase(type) { (bed) throws in
            let database = bed.database
            let other = try bed.manager.database(named: "other")
            let calls: [@Sendable () throws -> Void] = [
                { _ = try database["x"].revision() },
                { try database["y"].put([:]) },
                { try database["x"].update { _ in } },
                { try database["x"].delete() },
                { try database["x"].purge() },
                { _ = try database["_local/x"].revision() },
                { try database["_local/x"].put([:]) },
                { _ = try database.documentCount },
                { _ = try database.lastSequence },
                { try database.inTransaction {} },
                { try database.read { _ in } },
                { _ = try database.allDocuments().rows() },
                { _ = try database.changes(since: 0).rows() },
                { _ = try database.check() },
                { _ = try database.compact() },
                { try database.close() },
            ]
            for isJoined in [false, true] {
                for (number, call) in calls.enumerated() {
                    func change() throws {
                        try database["x"].update { properties in
                            expectError(.callback, "Call \(number), in a transaction: \(isJoined)") { try call() }
                            try other["fine"].update { $0["n"] = 1 }
                            properties["n"] = .int(Int64(number))
                        }
                    }
                    if isJoined { try database.inTransaction { try change() } } else { try change() }
                }
            }
            #expect(try database.allDocuments().ids() == ["x"])
            #expect(try database["x"].read().id.generation == UInt64(2 * calls.count))
        }
    }
}
