internal import Settee
internal import StorageProtocol

extension Workload {
    static let writes: [Workload] = [
        insert("insert-batch", "JSON text in transactions of 1,000"),
        insert("insert-150", "the same, documents of 150 bytes", Change(documentBytes: 150)),
        insert("insert-1k", "the same, documents of 1 KiB", Change(documentBytes: 1024)),
        insert("insert-64k", "the same, documents of 64 KiB", Change(documentBytes: 65536), divisor: 100),
        insert("insert-random", "the same as insert-batch, IDs in no order", Change(randomIDs: true)),
        insert("insert-full", "the same as insert-batch, durability full", Change(isFull: true)),
        Workload(
            name: "insert-values",
            group: .write,
            summary: "the same as insert-batch, from Swift values",
            content: .empty,
            baseline: .library("insert-batch", leavesOut: jsonAndRevisions),
            latencyOf: "transaction",
            prepare: { run in
                run.values = try (0..<run.count).map { index in
                    guard case .object(let object) = try JSONValue(parsing: run.documents.body(index)) else {
                        throw WorkloadRun.missing
                    }
                    return object
                }
            },
            run: { run in
                try run.inBatches { index in try run.database[run.id(index)].put(run.values[index]) }
                return run.allWritten()
            }
        ),
        insert("insert-single", "JSON text, each in a transaction of its own", batch: 1, divisor: 10),
        insert("insert-single-full", "the same, durability full", Change(isFull: true), batch: 1, divisor: 50),
        observed(insert("insert-batch-observed", "like insert-batch, told to ten observers")),
        observed(insert("insert-single-observed", "like insert-single, told to ten observers", batch: 1, divisor: 10)),
        update("update", "a new revision of each document, in transactions of 1,000"),
        update("update-full", "the same, durability full", Change(isFull: true)),
        Workload(
            name: "delete",
            group: .write,
            summary: "a tombstone for each document, in transactions of 1,000",
            baseline: .library("delete", leavesOut: jsonAndRevisions),
            latencyOf: "transaction",
            run: { run in
                try run.inBatches { index in _ = try run.database[run.id(index)].delete() }
                return run.allWritten()
            }
        ),
        Workload(
            name: "force-insert",
            group: .write,
            summary: "revisions from elsewhere as JSON text, each with a history of 10, in transactions of 1,000",
            content: .empty,
            latencyOf: "transaction",
            prepare: { run in run.histories = try histories(run.count) },
            run: { run in
                try run.inBatches { index in
                    try run.database[run.id(index)].forceInsert(
                        json: run.documents.body(index),
                        history: run.histories[index]
                    )
                }
                return run.allWritten()
            }
        ),
        updateAgain("update-10", "documents that are updated 10 times, one after another", times: 10),
        updateAgain("update-1000", "the same with 1,000 updates each", times: 1000),
    ]

    /// What plain C does not do that a document database must.
    static let jsonAndRevisions = "JSON, digests, revision trees and locks between processes"

    private static func insert(
        _ name: String,
        _ summary: String,
        _ change: Change = Change(),
        batch: Int = WorkloadRun.batch,
        divisor: Int = 1
    ) -> Workload {
        Workload(
            name: name,
            group: .write,
            summary: summary,
            content: .empty,
            divisor: divisor,
            change: change,
            baseline: .library(batch == 1 ? "insert-single" : "insert-batch", leavesOut: jsonAndRevisions),
            latencyOf: batch == 1 ? "operation" : "transaction",
            run: { run in
                try run.insertAll(batch: batch)
                return run.allWritten()
            }
        )
    }

    /// Adds ten observers, each of which receives every document. The clock stops before the last are told.
    private static func observed(_ workload: Workload) -> Workload {
        let plain = workload.run
        return Workload(
            name: workload.name,
            group: .write,
            summary: workload.summary,
            content: .empty,
            divisor: workload.divisor,
            baseline: workload.baseline,
            latencyOf: workload.latencyOf,
            run: { run in
                let observers = Observers(run.database, expecting: run.count)
                let start = Stopwatch()
                var work = try plain(run)
                work.opsPerSecond = Double(work.operations) / max(start.seconds, 1e-9)
                try observers.finish()
                return work
            }
        )
    }

    private static func update(_ name: String, _ summary: String, _ change: Change = Change()) -> Workload {
        Workload(
            name: name,
            group: .write,
            summary: summary,
            content: .empty,
            change: change,
            baseline: .library("update", leavesOut: jsonAndRevisions),
            latencyOf: "transaction",
            prepare: { run in try run.insertAll(keepingRevisions: true) },
            run: { run in
                try run.updateAll()
                return run.allWritten()
            }
        )
    }

    /// Makes as many updates as there are documents. The first revision of a document counts as one.
    private static func updateAgain(_ name: String, _ summary: String, times: Int) -> Workload {
        Workload(
            name: name,
            group: .write,
            summary: summary,
            unit: "updates",
            content: .empty,
            latencyOf: "transaction",
            run: { run in
                var parent: RevisionID?
                try run.inBatches { index in
                    if index % times == 0 { parent = nil }
                    let document = run.database[run.id(index / times)]
                    parent = try document.put(json: run.documents.body(index), parent: parent).id
                }
                return run.allWritten()
            }
        )
    }

    /// Any digests will do if no two documents share one.
    private static func histories(_ count: Int) throws -> [[RevisionID]] {
        var digest: (high: UInt64, low: UInt64) = (0x9E37_79B9_7F4A_7C15, 0)
        return try (0..<count).map { _ in
            try (1...10).reversed().map { (generation: UInt64) in
                digest = (digest.high &* 0xD134_2543_DE82_EF95 &+ 1, digest.low &+ 1)
                return try RevisionID(generation: generation, digest: digest)
            }
        }
    }
}
