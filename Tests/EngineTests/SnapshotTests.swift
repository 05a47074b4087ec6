import Settee
import SetteeTestSupport
import Synchronization
import Testing

/// `read` shows one state of the database, whatever others write meanwhile.
@Suite struct SnapshotTests {
    @Test(arguments: Storage.every) func aSnapshotStaysAsItWas(_ type: StorageType) throws {
        try withDatabase(type) { (bed) throws in
            let database = bed.database
            let first = try database["x"].put(["n": 1])
            try database["gone"].put([:])
            try database.read { (snapshot) throws in
                #expect(try snapshot.lastSequence == 2)
                try Background {
                    try database["x"].put(["n": 2], parent: first.id)
                    try database["gone"].purge()
                    try database["new"].put([:])
                    #expect(try database.lastSequence == 5)
                }.join()
                #expect(try snapshot.lastSequence == 2)
                #expect(try snapshot.documentCount == 2)
                #expect(try snapshot.revision(of: "x")?.id == first.id)
                #expect(try snapshot.json(of: "x") == bytes(#"{"n":1}"#))
                #expect(try snapshot.revision(of: "new") == nil)
                #expect(try database.allDocuments().ids() == ["gone", "x"])
                #expect(try database.changes(since: 0).ids() == ["x", "gone"])
                // Other ways to read, on this thread, see the same state.
                #expect(try database["x"].read().id == first.id)
                #expect(try database.lastSequence == 2)
                #expect(try database.documentCount == 2)
                #expect(try database.allDocuments().ids() == ["gone", "x"])
                try database.read { (inner) throws in #expect(try inner.lastSequence == 2) }
            }
            #expect(try database.allDocuments().ids() == ["new", "x"])
        }
    }

    /// SQLite's snapshot began with the first read: it included what was written before that.
    @Test(arguments: Storage.every) func aSnapshotIsOfItsBeginning(_ type: StorageType) throws {
        try withDatabase(type) { (bed) throws in
            let database = bed.database
            let content = Array("content".utf8)
            try database["x"].setAttachment(named: "a", content: content)
            let first = try database["x"].read()
            for round in 0..<3 {
                try database.read { (snapshot) throws in
                    try Background {
                        if round == 0 { try database["x"].delete() }
                        if round == 1 { try database["x"].purge() }
                        try database["new-\(round)"].put([:])
                        _ = try? database.compact()
                    }.join()
                    switch round {
                    case 0:
                        let revision = try #require(try snapshot.revision(of: "x"))
                        #expect(revision.id == first.id)
                        #expect(try revision.attachment(named: "a")?.content() == content)
                        #expect(try snapshot.lastSequence == 1)
                    case 1:
                        #expect(try database.allDocuments().ids() == ["new-0"])
                        #expect(try database.changes(since: 0).ids() == ["x", "new-0"])
                    default:
                        #expect(try database.allDocuments().ids() == ["new-0", "new-1"])
                    }
                }
            }
        }
    }

    @Test(arguments: Storage.every) func snapshotsAreConsistentWhileOthersWrite(_ type: StorageType) throws {
        try withDatabase(type) { (bed) throws in
            let database = bed.database
            // Two accounts whose sum never changes, moved by two documents in one transaction.
            try database.inTransaction {
                try database["a"].put(["n": 1000])
                try database["b"].put(["n": 0])
            }
            let isDone = Atomic(false)
            let reading = Atomic(0)
            let writer = Background {
                while reading.load(ordering: .relaxed) < 300 {
                    try database.inTransaction {
                        try database["a"].update { $0["n"] = .int(($0["n"]?.intValue ?? 0) - 1) }
                        try database["b"].update { $0["n"] = .int(($0["n"]?.intValue ?? 0) + 1) }
                    }
                }
                isDone.store(true, ordering: .relaxed)
            }
            try onThreads(3) { _ in
                for _ in 0..<100 {
                    try database.read { (snapshot) throws in
                        let a = try #require(try snapshot.revision(of: "a")?["n"]?.intValue)
                        let b = try #require(try snapshot.revision(of: "b")?["n"]?.intValue)
                        #expect(a + b == 1000)
                        let sum = try database.allDocuments(.init(includeBodies: true)).rows()
                            .compactMap { try $0.revision?.properties["n"]?.intValue }.reduce(0, +)
                        #expect(sum == 1000)
                        #expect(try snapshot.lastSequence == UInt64(2 + 2 * b))
                    }
                    reading.add(1, ordering: .relaxed)
                }
            }
            try writer.join()
        }
    }

    @Test(arguments: Storage.every) func writingInsideIsRefused(_ type: StorageType) throws {
        try withDatabase(type) { (bed) throws in
            let database = bed.database
            try database["x"].put([:])
            func expectRefused() {
                expectError(.callback) { try database["y"].put([:]) }
                expectError(.callback) { try database["x"].update { $0["n"] = 1 } }
                expectError(.callback) { try database["x"].delete() }
                expectError(.callback) { try database["x"].purge() }
                expectError(.callback) { try database["_local/x"].put([:]) }
                expectError(.callback) { try database.inTransaction {} }
                expectError(.callback) { try database.compact() }
                expectError(.callback) { try database.close() }
            }
            try database.read { _ in expectRefused() }
            try database.read { _ in try database.read { _ in expectRefused() } }
            try database.inTransaction {
                try database["joined"].put([:])
                try database.read { _ in expectRefused() }
                try database["joined too"].put([:])
            }
            #expect(try database.allDocuments().ids() == ["joined", "joined too", "x"])
        }
    }

    @Test(arguments: Storage.every) func insideATransactionItShowsTheTransaction(_ type: StorageType) throws {
        try withDatabase(type) { (bed) throws in
            let database = bed.database
            try database.inTransaction {
                try database["x"].put(["n": 1])
                try database.read { (snapshot) throws in
                    #expect(try snapshot.documentCount == 1)
                    #expect(try snapshot.lastSequence == 1)
                    #expect(try snapshot.revision(of: "x")?["n"] == 1)
                    #expect(try database.documentCount == 1)
                    #expect(try database.lastSequence == 1)
                }
            }
        }
    }

    @Test(arguments: Storage.every) func keptBeyondItsClosureItThrows(_ type: StorageType) throws {
        try withDatabase(type) { (bed) throws in
            let database = bed.database
            try database["x"].put([:])
            func expectEnded(_ snapshot: Snapshot) {
                expectError(.notOpen) { try snapshot.documentCount }
                expectError(.notOpen) { try snapshot.lastSequence }
                expectError(.notOpen) { try snapshot.revision(of: "x") }
                expectError(.notOpen) { try snapshot.revision(of: "_local/x") }
                expectError(.notOpen) { try snapshot.json(of: "x") }
                expectError(.notOpen) { try snapshot.withJSON(of: "x") { _ in } }
                expectError(.notOpen) { try snapshot.forEachDocument { _ in true } }
            }
            let kept = try database.read { $0 }
            expectEnded(kept)
            let joined = try database.inTransaction {
                let inner = try database.read { $0 }
                expectEnded(inner)
                return inner
            }
            expectEnded(joined)
        }
    }

    @Test(arguments: Storage.every) func itReadsDocumentsOfEveryKind(_ type: StorageType) throws {
        try withDatabase(type) { (bed) throws in
            let database = bed.database
            try database["live"].put(["n": 1])
            try database["deleted"].put([:])
            let tombstone = try database["deleted"].delete()
            try database["_local/note"].put(["n": 2])
            try database.read { (snapshot) throws in
                #expect(try snapshot.revision(of: "deleted")?.id == tombstone.id)
                #expect(try snapshot.json(of: "deleted") == nil)
                #expect(try snapshot.withJSON(of: "deleted") { _ in Issue.record("A tombstone has no body.") } == false)
                #expect(try snapshot.json(of: "missing") == nil)
                var count = 0
                #expect(try snapshot.withJSON(of: "live") { count = $0.byteCount })
                #expect(count == 7)
                #expect(try snapshot.revision(of: "_local/note")?["n"] == 2)
                #expect(try snapshot.json(of: "_local/note") == bytes(#"{"n":2}"#))
                #expect(try snapshot.withJSON(of: "_local/note") { count = $0.byteCount })
                expectError(.badID) { try snapshot.revision(of: "") }
                expectError(.badID) { try snapshot.json(of: "_x") }
            }
        }
    }

    @Test(arguments: Storage.every) func theErrorOfTheClosureComesOut(_ type: StorageType) throws {
        try withDatabase(type) { (bed) throws in
            expectApplicationError(5) { try bed.database.read { _ in throw ApplicationError(number: 5) } }
            #expect(try bed.database.read { try $0.documentCount } == 0)
        }
    }
}
