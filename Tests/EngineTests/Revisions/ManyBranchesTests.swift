import Foundation
import Settee
import SetteeTestSupport
import StorageConformance
import StorageProtocol
import Testing

/// Many branches of one document, as replication brings them.
@Suite struct ManyBranchesTests {
    private static let isLong = ProcessInfo.processInfo.environment["SETTEE_STRESS"] != nil

    private func branch(_ number: Int) throws -> [RevisionID] {
        try [RevisionID(generation: 2, digest: (UInt64(number) &* 0x9E37_79B9_7F4A_7C15, 1)), RevisionID("1-a")]
    }

    private func insert(_ branches: Range<Int>, into document: Document) throws {
        for number in branches {
            let isNew = try document.forceInsert(
                ["n": .int(Int64(number))],
                history: branch(number),
                isDeleted: number % 10 == 9
            )
            #expect(isNew)
        }
    }

    @Test(arguments: Storage.all) func aTransactionWritesTheTreeOnce(_ type: StorageType) throws {
        let faults = FaultPlan()
        let bed = try TestDatabase(type, wrapping: FaultInjectingEngineFactory(Storage.factory(type), faults: faults))
        let document = bed.database["doc"]
        try insert(0..<50, into: document)
        // One call for the body of each branch, and few for all of them.
        faults.arm(failingCall: .max, with: StorageError(.storage, "Never."))
        try bed.database.inTransaction { try insert(50..<350, into: document) }
        let calls = faults.calls
        #expect((300...320).contains(calls), "\(calls) calls")
        // Changing to another document writes the tree of the one before.
        faults.arm(failingCall: .max, with: StorageError(.storage, "Never."))
        try bed.database.inTransaction {
            for number in 0..<10 {
                try insert(400 + number..<401 + number, into: document)
                try insert(number..<number + 1, into: bed.database["other"])
            }
        }
        #expect(faults.calls > 40, "\(faults.calls) calls")
        #expect(try document.leafRevisions().count == 360)
        #expect(try bed.database.check().map(\.description) == [])
        try bed.manager.close()
    }

    /// Eight times as many take eight times as long; if each insert walked through the others, it would be nearly 64
    /// times.
    @Test(arguments: Storage.all) func aBatchTakesTimeInProportion(_ type: StorageType) throws {
        try withDatabase(type) { (bed) throws in
            func time(_ count: Int, _ id: String) throws -> Double {
                let start = try processorTime()
                try bed.database.inTransaction { try insert(0..<count, into: bed.database[id]) }
                return try processorTime() - start
            }
            let scale = ManyBranchesTests.isLong ? 4 : 1
            _ = try time(100, "first")
            let few = try (1...3).map { try time(500 * scale, "few \($0)") }.min() ?? 0
            let many = try time(4000 * scale, "many")
            #expect(many < 24 * few, "\(many) to \(few)")
            #expect(try bed.database["many"].leafRevisions().count == 4000 * scale)
        }
    }

    /// Processor time of the calling thread, in seconds.
    private func processorTime() throws -> Double {
        var now = timespec()
        try #require(clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now) == 0)
        return Double(now.tv_sec) + Double(now.tv_nsec) / 1e9
    }

    /// One transaction of random work on a document with many branches leaves what many transactions leave.
    @Test(arguments: Storage.all) func inOneTransactionAllIsAsInMany(_ type: StorageType) throws {
        for seed in 1...(ManyBranchesTests.isLong ? 100 : 4) as ClosedRange<UInt64> {
            let (one, many) = (try TestDatabase(type), try TestDatabase(type))
            for bed in [one, many] { try bed.database.setMaxRevTreeDepth([2, 5, 20][Int(seed % 3)]) }
            try one.database.inTransaction {
                var random = SeededGenerator(seed: seed)
                for step in 0..<250 { try work(step, on: one.database, &random) }
            }
            var random = SeededGenerator(seed: seed)
            for step in 0..<250 { try work(step, on: many.database, &random) }
            #expect(try state(one.database) == state(many.database), "seed \(seed)")
            for bed in [one, many] {
                #expect(try bed.database.check().map(\.description) == [], "seed \(seed)")
                try bed.manager.close()
            }
        }
    }

    private func work(_ step: Int, on database: Database, _ random: inout SeededGenerator) throws {
        let document = database["doc"]
        let body = ["n": .int(Int64(step))] as JSONObject
        let leaves = try Int.random(in: 0..<8, using: &random) == 0 ? document.leafRevisions() : []
        switch Int.random(in: 0..<40, using: &random) {
        case 0: try document.update { $0["n"] = .int(Int64(-step)) }
        case 1: if try document.exists { try document.delete() }
        case 2: if let leaf = leaves.randomElement(using: &random) { try document.purge(revisions: [leaf.id]) }
        case 3: try database["other"].update { $0["n"] = .int(Int64(step)) }
        case 4: try document.forceInsert(["_attachments": ["a": ["data": "aGk="]]], history: branch(step))
        case 5: if let leaf = leaves.last { try document.forceInsert(body, history: leaf.history().map(\.id)) }
        case 6: if step > 200 { try document.deleteAllBranches() }
        case 7...10:
            // On a leaf.
            guard let leaf = try document.leafRevisions().randomElement(using: &random) else { return }
            let id = try RevisionID(generation: leaf.id.generation + 1, digest: (UInt64(step), 2))
            let isDeleted = Bool.random(using: &random)
            try document.forceInsert(body, history: [id] + leaf.history().map(\.id), isDeleted: isDeleted)
        case 11:
            // An unknown line, longer than some depths keep.
            let line = try (1...UInt64(9)).reversed().map { try RevisionID(generation: $0, digest: (UInt64(step), 3)) }
            try document.forceInsert(body, history: line)
        case 12: _ = try document.revision()
        default:
            try document.forceInsert(body, history: branch(step), isDeleted: Int.random(in: 0..<4, using: &random) == 0)
        }
    }

    private func state(_ database: Database) throws -> [String] {
        try database.read { snapshot in
            var lines = ["\(try snapshot.documentCount) \(try snapshot.lastSequence)"]
            for row in try database.changes(since: 0, includeDocs: true).rows() {
                lines.append("\(row.sequence) \(row.revisionID) \(row.isDeleted) \(row.isConflicted) \(row.text ?? "")")
                for leaf in try snapshot.leafRevisions(of: row.documentID) {
                    lines.append("\(leaf.id) \(leaf.sequence) \(leaf.isDeleted) \(leaf.text)")
                    for info in try leaf.history() {
                        lines.append("\(info.id) \(info.sequence) \(info.hasBody) \(info.isDeleted)")
                    }
                }
            }
            return lines
        }
    }

    /// Whatever call of the store fails, the transaction leaves all of its branches or none.
    @Test(arguments: Storage.all) func aFailureLeavesAllOrNothing(_ type: StorageType) throws {
        var call = 0
        var isThrough = false
        while !isThrough {
            call += ManyBranchesTests.isLong ? 1 : 7
            let faults = FaultPlan()
            let bed = try TestDatabase(
                type,
                wrapping: FaultInjectingEngineFactory(Storage.factory(type), faults: faults)
            )
            let document = bed.database["doc"]
            try insert(0..<40, into: document)
            let before = try state(bed.database)
            faults.arm(failingCall: call, with: StorageError(.full, "Injected."))
            var failure: StorageError.Code?
            do {
                try bed.database.inTransaction {
                    try insert(40..<70, into: document)
                    // A caller that ignores a failed read loses the transaction all the same.
                    _ = try? document.revision()
                    try insert(70..<90, into: document)
                }
            } catch let error as StorageError {
                failure = error.code
            }
            isThrough = faults.failedCall == nil
            faults.disarm()
            #expect(failure == (isThrough ? nil : .full), "call \(call)")
            if isThrough {
                #expect(try document.leafRevisions().count == 90)
            } else {
                #expect(try state(bed.database) == before, "call \(call)")
            }
            #expect(try bed.database.check().map(\.description) == [], "call \(call)")
            #expect(try bed.engine().statistics().openTransactions == 0, "call \(call)")
            try bed.manager.close()
            try #require(call < 1000, "The work never ran through.")
        }
        #expect(call > 50)
    }

    @Test(arguments: Storage.all) func aTransactionSeesItsBranches(_ type: StorageType) throws {
        try withDatabase(type) { (bed) throws in
            let database = bed.database
            let document = database["doc"]
            #expect(throws: ApplicationError.self) {
                try database.inTransaction {
                    for end in [40, 80, 120] {
                        try insert(end - 40..<end, into: document)
                        let leaves = try document.leafRevisions()
                        #expect(leaves.count == end)
                        #expect(try document.revision()?.id == leaves.first?.id)
                        #expect(try document.conflictingRevisions().count == end * 9 / 10)
                        #expect(try database.allDocumentsQuery(.onlyConflicts).run().map(\.key) == ["doc"])
                        #expect(try database.changes(since: 0).rows().map(\.sequence) == [UInt64(end)])
                        let json = try database.read { try $0.json(of: "doc") }
                        #expect(json == leaves.first?.json)
                        #expect(try !document.forceInsert([:], history: branch(end - 1)))
                        expectError(.conflict) { try document.put(["n": 1]) }
                    }
                    throw ApplicationError()
                }
            }
            #expect(try document.revision() == nil)
            #expect(try database.lastSequence == 0)
        }
    }

    @Test(arguments: Storage.all) func observersAreToldOfEachBranch(_ type: StorageType) throws {
        try withDatabase(type) { (bed) throws in
            let (told, listener) = bed.database.listen(buffer: 1000)
            defer { listener.remove() }
            try bed.database.inTransaction { try insert(0..<200, into: bed.database["doc"]) }
            let changes = told.wait(for: 200).documents
            try #require(changes.count == 200)
            var winner: RevisionID?
            for (number, change) in changes.enumerated() {
                let id = try branch(number)[0]
                if number % 10 != 9 { winner = max(winner ?? id, id) }
                #expect(change.revisionID == id && change.currentRevisionID == winner)
                #expect(change.isDeletion == (number % 10 == 9))
                #expect(change.isConflict == (number > 0) && !change.isDocumentDeleted)
                #expect(change.sequence == UInt64(number + 1))
            }
        }
    }
}
