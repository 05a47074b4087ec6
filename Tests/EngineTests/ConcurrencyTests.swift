import Settee
import SetteeTestSupport
import StorageConformance
import StorageProtocol
import Synchronization
import Testing

/// One database from many threads, with a plain dictionary as the model.
@Suite struct ConcurrencyTests {
    @Test(arguments: Storage.all) func manyThreadsAgreeWithTheModel(_ type: StorageType) throws {
        try withDatabase(type) { (bed) throws in
            let database = bed.database
            let model = Locked<[String: Int64]>([:])
            let seed = UInt64.random(in: 0...UInt64.max)
            try onThreads(6) { thread in
                var generator = SeededGenerator(seed: seed &+ UInt64(thread))
                for round in 0..<60 {
                    // Documents are shared; the transaction keeps database and model in step.
                    let id = "d\(Int.random(in: 0..<12, using: &generator))"
                    let value = Int64(thread * 1000 + round)
                    switch Int.random(in: 0..<6, using: &generator) {
                    case 0...2:
                        try database.inTransaction {
                            try database[id].update { $0["n"] = .int(value) }
                            model.withLock { $0[id] = value }
                        }
                    case 3:
                        try database.inTransaction {
                            guard try database[id].exists else { return }
                            try database[id].delete()
                            model.withLock { $0[id] = nil }
                        }
                    case 4:
                        try database.inTransaction {
                            try database[id].purge()
                            model.withLock { $0[id] = nil }
                        }
                    default:
                        try database.read { (snapshot) throws in
                            let rows = try database.allDocuments(.init(includeBodies: true)).rows()
                            #expect(UInt64(rows.count) == (try snapshot.documentCount), "seed \(seed)")
                            for row in rows { #expect(row.revision?["n"] != nil, "seed \(seed)") }
                        }
                    }
                }
            }
            let expected = model.withLock { $0 }
            let rows = try database.allDocuments(.init(includeBodies: true)).rows()
            var found: [String: Int64] = [:]
            for row in rows { found[row.documentID.string] = row.revision?["n"]?.intValue }
            #expect(found == expected, "seed \(seed)")
            #expect(try database.documentCount == UInt64(expected.count), "seed \(seed)")
        }
    }

    @Test(arguments: Storage.all) func onlyOneOfManyCreatesADocument(_ type: StorageType) throws {
        try withDatabase(type) { (bed) throws in
            let database = bed.database
            let won = Atomic(0)
            try onThreads(8) { thread in
                for round in 0..<10 {
                    do throws(StorageError) {
                        try database["d\(round)"].put(["by": .int(Int64(thread))])
                        won.add(1, ordering: .relaxed)
                    } catch {
                        #expect(error.code == .conflict)
                    }
                }
            }
            let winners = won.load(ordering: .relaxed)
            #expect(winners == 10)
            #expect(try database.lastSequence == 10)
            #expect(try database.allDocuments(.init(onlyConflicts: true)).ids() == [])
        }
    }

    /// Every commit is visible to reads that begin after it, on any thread.
    @Test(arguments: Storage.all) func commitsAreSeenAtOnce(_ type: StorageType) throws {
        try withDatabase(type) { (bed) throws in
            let database = bed.database
            let committed = Atomic<UInt64>(0)
            let isDone = Atomic(false)
            let writer = Background {
                for number in 1...200 {
                    try database["d\(number)"].put([:])
                    committed.store(UInt64(number), ordering: .sequentiallyConsistent)
                }
                isDone.store(true, ordering: .sequentiallyConsistent)
            }
            try onThreads(3) { _ in
                while !isDone.load(ordering: .sequentiallyConsistent) {
                    let before = committed.load(ordering: .sequentiallyConsistent)
                    let (sequence, count) = try database.read { (try $0.lastSequence, try $0.documentCount) }
                    #expect(sequence >= before)
                    #expect(sequence == count)
                }
            }
            try writer.join()
        }
    }

    @Test(arguments: Storage.all) func compactionGoesOnBesideReadersAndWriters(_ type: StorageType) throws {
        try withDatabase(type) { (bed) throws in
            let database = bed.database
            try database["count"].put(["n": 0])
            let isDone = Atomic(false)
            let workers = (0..<3).map { number in
                Background {
                    while !isDone.load(ordering: .relaxed) {
                        if number == 0 {
                            try database["count"].update { $0["n"] = .int(($0["n"]?.intValue ?? 0) + 1) }
                        } else {
                            try database.read { (snapshot) throws in
                                let n = try snapshot.revision(of: "count")?["n"]?.intValue ?? -1
                                #expect(try UInt64(n) + 1 == snapshot.lastSequence)
                            }
                        }
                    }
                }
            }
            for _ in 0..<5 { try database.compact() }
            isDone.store(true, ordering: .relaxed)
            for worker in workers { try worker.join() }
            let n = try #require(try database["count"]["n"]?.intValue)
            #expect(try database.lastSequence == UInt64(n) + 1)
        }
    }
}
