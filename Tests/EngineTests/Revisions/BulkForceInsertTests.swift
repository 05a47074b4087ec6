import Settee
import SetteeTestSupport
import StorageConformance
import StorageProtocol
import Synchronization
import Testing

/// Many revisions from elsewhere in one call.
@Suite struct BulkForceInsertTests {
    private func revision(_ id: String, _ json: String, _ history: [String]) throws -> ForeignRevision {
        try ForeignRevision(id, json: bytes(json), history: history.map { try RevisionID($0) })
    }

    @Test(arguments: Storage.all) func eachHasAnOutcome(_ type: StorageType) throws {
        try withDatabase(type) { (bed) throws in
            let database = bed.database
            database.setValidation("noEvil") { revision, context in
                if revision.properties["evil"] != nil { context.reject(withMessage: "it is evil") }
            }
            let batch = [
                try revision("a", #"{"n":1}"#, ["2-b", "1-a"]), try revision("evil", #"{"evil":1}"#, ["1-a"]),
                try revision("a", #"{"n":1}"#, ["2-b", "1-a"]), try revision("a", #"{"n":2}"#, ["2-c", "1-a"]),
                try revision("_local/x", "{}", ["1-a"]), try revision("_design/d", #"{"views":{}}"#, ["1-a"]),
                try revision("att", #"{"_attachments":{"x":{"stub":true,"digest":"sha1-q","revpos":1}}}"#, ["1-a"]),
                try revision("b", #"{"_deleted":true}"#, ["3-c"]),
            ]
            let outcomes = try database.forceInsert(batch, source: "there")
            #expect(
                outcomes.map(\.text)
                    == ["added", "403", "known", "added", "494", "added", "\(outcomes[6].status ?? 0)", "added"]
            )
            #expect((400..<500).contains(try #require(outcomes[6].status)))
            #expect(try database.lastSequence == 4)
            #expect(try database["a"].conflictingRevisions().map(\.id.string) == ["2-c", "2-b"])
            #expect(try database["a"].history().map(\.id.string) == ["2-c", "1-a"])
            #expect(try database["evil"].revision() == nil)
            #expect(try database["b"].revision()?.isDeleted == true)
            // Again: nothing changes.
            #expect(try database.forceInsert(batch).map(\.text).filter { $0 == "known" }.count == 5)
            #expect(try database.lastSequence == 4)
            #expect(try database.forceInsert([]).isEmpty)
        }
    }

    /// A long batch is several transactions, between which others write.
    @Test(arguments: Storage.all) func othersWriteBetweenTheTransactions(_ type: StorageType) throws {
        try withDatabase(type) { (bed) throws in
            let database = bed.database
            let commits = Mutex(0)
            let listener = database.addChangeListener { _ in commits.withLock { $0 += 1 } }
            let batch = try (0..<1100).map { try revision("d\($0)", "{}", ["1-a"]) }
            #expect(try database.forceInsert(batch).allSatisfy { $0.text == "added" })
            try withExtendedLifetime(listener) {
                try expectEventually { try database.documentCount == 1100 && commits.withLock { $0 } >= 3 }
            }
            // In a transaction of the caller it is one.
            struct Stop: Error {}
            let more = try (0..<600).map { try revision("e\($0)", "{}", ["1-a"]) }
            #expect(throws: Stop.self) {
                try database.inTransaction {
                    _ = try database.forceInsert(more)
                    throw Stop()
                }
            }
            #expect(try database.documentCount == 1100)
        }
    }

    @Test func whatContradictsItselfIsRefusedBeforehand() throws {
        expectError(.badRequest) { try revision("a", #"{"_id":"b"}"#, ["1-a"]) }
        expectError(.badRequest) { try revision("a", "{}", []) }
        expectError(.badRequest) { try revision("a", "{}", ["3-a", "1-b"]) }
        expectError(.badRequest) { try revision("a", #"{"_rev":"1-b"}"#, ["1-a"]) }
        expectError(.badJSON) { try revision("a", "[]", ["1-a"]) }
        expectError(.badID) { try revision("_x", "{}", ["1-a"]) }
        #expect(try revision("a", #"{"_rev":"1-b"}"#, []).history.map(\.string) == ["1-b"])
    }

    /// Whatever call of the store fails, no revision is stored in part, and repeating the call stores all.
    @Test(arguments: Storage.all) func repeatingTheCallFinishesIt(_ type: StorageType) throws {
        let batch = try (0..<40).map { try revision("d\($0 % 30)", #"{"n":\#($0)}"#, ["2-\($0)", "1-a"]) }
        var call = 0
        var isThrough = false
        while !isThrough {
            call += 9
            let faults = FaultPlan()
            let factory = FaultInjectingEngineFactory(Storage.factory(type), faults: faults)
            let bed = try TestDatabase(type, wrapping: factory)
            faults.arm(failingCall: call, with: StorageError(.full, "Injected."))
            do {
                let outcomes = try bed.database.forceInsert(batch)
                #expect(outcomes.allSatisfy { $0.text == "added" }, "call \(call)")
            } catch {
                #expect(error.code == .full && faults.failedCall != nil, "call \(call)")
            }
            isThrough = faults.failedCall == nil
            faults.disarm()
            let before = try bed.database.lastSequence
            #expect(before == (isThrough ? 40 : 0), "call \(call)")
            let outcomes = try bed.database.forceInsert(batch)
            #expect(outcomes.allSatisfy { $0.text == (isThrough ? "known" : "added") })
            #expect(try bed.database.lastSequence == 40)
            #expect(try bed.database.check().map(\.description) == [])
            try bed.manager.close()
        }
    }

    @Test func asynchronously() async throws {
        try await withDatabase(.memory) { (bed) async throws in
            let batch = try (0..<10).map { try revision("d\($0)", "{}", ["1-a"]) }
            #expect(try await bed.database.async.forceInsert(batch).allSatisfy { $0.text == "added" })
            #expect(try await bed.database.async.forceInsert(batch).allSatisfy { $0.text == "known" })
        }
    }
}

extension ForceInsertOutcome {
    fileprivate var status: Int? {
        guard case .refused(let error) = self else { return nil }
        return error.status
    }

    fileprivate var text: String {
        switch self {
        case .added: "added"
        case .known: "known"
        case .refused(let error): "\(error.status)"
        }
    }
}
