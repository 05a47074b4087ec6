import Foundation
import Settee
import SetteeTestSupport
import StorageConformance
import Synchronization
import Testing

/// Random operations against a plain model, the same on every engine, and with every call to the engine failing once.
@Suite struct RandomOperationTests {
    private static let isLong = ProcessInfo.processInfo.environment["SETTEE_STRESS"] != nil

    /// `SETTEE_SEED` repeats one run.
    private static let seeds: [UInt64] = {
        if let seed = ProcessInfo.processInfo.environment["SETTEE_SEED"].flatMap({ UInt64($0) }) { return [seed] }
        return (0..<(isLong ? 200 : 6)).map { _ in UInt64.random(in: 0...UInt64.max) }
    }()

    @Test(arguments: seeds) func everyEngineAgreesWithTheModelAndTheOthers(_ seed: UInt64) throws {
        var logs: [[String]] = []
        for type in Storage.every {
            try withDatabase(type) { (bed) throws in
                var run = try RandomDocumentRun(bed, seed: seed)
                try run.run(steps: RandomOperationTests.isLong ? 120 : 45)
                logs.append(run.log)
            }
        }
        for log in logs.dropFirst() {
            let difference = zip(log, logs[0]).first { bytes($0) != bytes($1) }
            #expect(difference == nil && log.count == logs[0].count, "seed \(seed)")
        }
    }

    /// Makes call number 1, 2, 3, ... to the engine fail, until the work completes. Each time the work is refused as a
    /// whole, the database is healthy, and the same work succeeds afterwards.
    @Test(arguments: Storage.every) func afterAnyFailureTheDatabaseIsAsItWas(_ type: StorageType) throws {
        for code in [StorageError.Code.storage, .full] {
            var call = 0
            var isThrough = false
            while !isThrough {
                call += RandomOperationTests.isLong ? 1 : 3
                isThrough = try failOnce(type, call: call, with: code)
                try #require(call < 2000, "The work never ran through.")
            }
            #expect(call > 30)
        }
    }

    /// False if a call failed.
    private func failOnce(_ type: StorageType, call: Int, with code: StorageError.Code) throws -> Bool {
        let faults = FaultPlan()
        let bed = try TestDatabase(type, wrapping: FaultInjectingEngineFactory(Storage.factory(type), faults: faults))
        let database = bed.database
        try prepare(database)
        let before = try state(database)
        faults.arm(failingCall: call, with: StorageError(code, "Injected."))
        var failure: StorageError.Code?
        do {
            try work(database)
        } catch let error as StorageError {
            failure = error.code
        }
        let failedCall = faults.failedCall
        faults.disarm()
        #expect((failure == nil) == (failedCall == nil), "call \(call)")
        if let failure { #expect(failure == code, "call \(call), \(failedCall ?? "")") }
        if failedCall != nil { #expect(try state(database) == before, "call \(call), \(failedCall ?? "")") }
        #expect(try database.check().map(\.description) == [], "call \(call), \(failedCall ?? "")")
        #expect(try bed.engine().statistics().openTransactions == 0, "call \(call), \(failedCall ?? "")")
        if failedCall != nil {
            try work(database)
            #expect(try database.check().map(\.description) == [], "call \(call), \(failedCall ?? "")")
        }
        try bed.manager.close()
        return failedCall == nil
    }

    private func prepare(_ database: Database) throws {
        for id in ["a", "b", "c"] {
            try database[id].put(["id": .string(id)])
            try database[id].update { $0["n"] = 1 }
        }
        let foreign = try [RevisionID("2-x"), RevisionID("1-y")]
        _ = try database.forceInsert(DocumentID("a"), history: foreign, json: bytes("{}"), isDeleted: false)
        try database["_local/l"].put([:])
    }

    private func work(_ database: Database) throws {
        try database.inTransaction {
            try database["new"].put(["n": 1])
            try database["new"].update { $0["n"] = 2 }
            try database["a"].delete()
            try database["a"].delete()
            try database["b"].purge()
            try database["c"].update { $0["n"] = 2 }
            let history = try [RevisionID("9-z"), RevisionID("8-z")]
            _ = try database.forceInsert(DocumentID("c"), history: history, json: bytes("{}"), isDeleted: false)
            try database["_local/l"].update { $0["n"] = 1 }
            try database["_local/m"].put([:])
            #expect(try database.allDocuments(.init(includeBodies: true)).ids() == ["c", "new"])
            // Leaves the database as it was for a second run.
            try database["new"].purge()
            try database["_local/m"].delete()
        }
    }

    private func state(_ database: Database) throws -> [String] {
        try database.read { snapshot in
            var lines = ["\(try snapshot.documentCount) \(try snapshot.lastSequence)"]
            for row in try database.changes(since: 0, includeDocs: true).rows() {
                lines.append("\(row.sequence) \(row.documentID) \(row.revisionID) \(row.isDeleted) \(row.text ?? "")")
            }
            for id in ["_local/l", "_local/m"] { lines.append(try snapshot.revision(of: id)?.text ?? "none") }
            return lines
        }
    }
}
