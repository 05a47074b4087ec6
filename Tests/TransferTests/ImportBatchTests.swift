import Settee
import SetteeTestSupport
import StorageConformance
import StorageProtocol
import Testing

/// A bulk import looks up and stores its documents in batches; the result does not show it.
@Suite struct ImportBatchTests {
    /// What an import of these lines must save, one after another.
    private struct Expected {
        var saved: [String: Int] = [:]
        var failed: [String] = []
    }

    @Test(arguments: Storage.all, [1, 2, 3, 4]) func documentsOfABatchAreSavedAsOneByOne(
        _ type: StorageType,
        _ seed: UInt64
    ) throws {
        try withDatabase(type) { (bed) throws in
            var random = SeededGenerator(seed: seed)
            var expected = Expected()
            var live: Set<String> = []
            for number in 0..<40 {
                let id = "d\(number * 3)"
                let first = try bed.database[id].put(["old": true])
                if number % 3 == 0 { try bed.database[id].delete(parent: first.id) } else { live.insert(id) }
            }
            // Some twice in a batch, some in two batches, in no order.
            var lines: [String] = []
            for number in 0..<300 {
                let id = "d\(Int.random(in: 0..<200, using: &random))"
                let revision = number % 11 == 0 ? #""_rev":"3-abc\#(number)","# : ""
                lines.append(#"{"_id":"\#(id)",\#(revision)"n":\#(number)}"#)
                if live.contains(id) {
                    expected.failed.append(id)
                } else {
                    live.insert(id)
                    expected.saved[id] = number
                }
            }
            var options = ImportOptions()
            options.batchCount = 37
            var failures: [ImportFailure] = []
            let rest = Locked<[UInt8]?>(Array(lines.joined(separator: "\n").utf8))
            let outcome = try BulkImporter(into: bed.database, options: options).run {
                rest.withLock { $0.take() }
            } failure: { failure in
                failures.append(failure)
            } committed: { _, _ in
            }
            #expect(outcome.interruption == nil, "seed \(seed)")
            #expect(failures.compactMap(\.id) == expected.failed, "seed \(seed)")
            #expect(failures.allSatisfy { $0.error.code == .conflict }, "seed \(seed)")
            #expect(outcome.documents == expected.saved.count, "seed \(seed)")
            for (id, number) in expected.saved {
                #expect(try bed.database[id]["n"]?.intValue == Int64(number), "\(id), seed \(seed)")
            }
            #expect(try bed.database.documentCount == UInt64(live.count), "seed \(seed)")
            #expect(try bed.database.check().map(\.description) == [], "seed \(seed)")
        }
    }

    @Test(arguments: Storage.all) func whatTheStoreRefusesAtTheEndOfABatchUndoesIt(_ type: StorageType) throws {
        try withDatabase(type) { (bed) throws in
            struct Stop: Error {}
            #expect(throws: Stop.self) {
                try bed.database.withWriteSession { session in
                    session.gathersInserts = true
                    let writer = DocumentWriter(session)
                    for id in ["a", "b"] {
                        _ = try writer.save(DocumentID(unchecked: id), DocumentBody(["n": 1]), parent: nil)
                    }
                    // What was gathered is visible to readers.
                    #expect(try session.transaction.counters().liveDocuments == 2)
                    #expect(try writer.stored(DocumentID("a")) != nil)
                    throw Stop()
                }
            }
            #expect(try bed.database.documentCount == 0)
        }
    }
}
