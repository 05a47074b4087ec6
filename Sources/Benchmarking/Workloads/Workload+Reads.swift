internal import Settee
internal import StorageProtocol

extension Workload {
    static let reads: [Workload] = [
        randomReads(
            "read-snapshot",
            "random documents as JSON text, all within one snapshot",
            .library("read-snapshot")
        ) { run in
            try run.database.read { snapshot in
                for turn in 0..<run.reads {
                    try run.timeSome(turn) {
                        let json = try snapshot.json(of: run.id(People.randomDocument(turn, of: run.count)))
                        run.checksum &+= touch(try WorkloadRun.found(json))
                    }
                }
            }
        },
        randomReads("read-lent", "the same, read in place without copying", .library("read-snapshot")) { run in
            try run.database.read { snapshot in
                for turn in 0..<run.reads {
                    try run.timeSome(turn) {
                        let id = run.id(People.randomDocument(turn, of: run.count))
                        let isThere = try snapshot.withJSON(of: id) { (json) throws(StorageError) in
                            run.checksum &+= touch(json)
                        }
                        guard isThere else { throw WorkloadRun.missing }
                    }
                }
            }
        },
        randomReads(
            "read-single",
            "random documents as JSON text, each in a transaction of its own",
            .library("read-single")
        ) { run in
            for turn in 0..<run.reads {
                try run.timeSome(turn) {
                    let json = try run.database[run.id(People.randomDocument(turn, of: run.count))].json()
                    run.checksum &+= touch(try WorkloadRun.found(json))
                }
            }
        },
        Workload(
            name: "read-zipfian",
            group: .read,
            summary: "like read-snapshot, a few documents far more often than the others (YCSB's Zipfian)",
            baseline: .library("read-zipfian"),
            onlyReads: true,
            prepare: { run in
                let choice = ZipfianChoice(documents: run.count)
                run.order = (0..<run.reads).map { choice.document($0) }
            },
            run: { run in
                try run.database.read { snapshot in
                    for turn in 0..<run.reads {
                        try run.timeSome(turn) {
                            let json = try snapshot.json(of: run.id(run.order[turn]))
                            run.checksum &+= touch(try WorkloadRun.found(json))
                        }
                    }
                }
                return Work(operations: run.reads)
            }
        ),
        readKeys("read-keys", "IDs and revisions of all documents, by queries of 1,000 IDs in no order", false),
        readKeys("read-keys-docs", "the same with the documents", true),
        Workload(
            name: "read-beside-writer",
            group: .read,
            summary: "random documents, each in its own transaction, first alone, then while a thread inserts",
            divisor: 2,
            run: { run in try ReadersBesideWriter(run).work() }
        ),
        read("scan", "all documents with their bodies, in the order of IDs", .library("scan")) { run in
            var rows = 0
            try run.database.read { snapshot in
                try snapshot.forEachDocument(DocumentQuery(includeBodies: true)) { (row) throws(StorageError) in
                    rows += 1
                    run.checksum &+= UInt64(try row.documentID().string.utf8.count) &+ row.sequence
                    run.checksum &+= touch(row.bodyCopy())
                    return true
                }
            }
            try run.expect(rows)
        },
        read("scan-lent", "the same, read in place without copying", .library("scan")) { run in
            var rows = 0
            try run.database.read { snapshot in
                try snapshot.forEachDocument(DocumentQuery(includeBodies: true)) { (row) throws(StorageError) in
                    rows += 1
                    run.checksum &+= row.sequence &+ row.withBody { touch($0) }
                    return true
                }
            }
            try run.expect(rows)
        },
        read("changes", "all changes without bodies, in the order of sequences", .library("changes")) { run in
            var rows = 0
            try run.database.changes(since: 0).forEach { row in
                rows += 1
                run.checksum &+= row.sequence
            }
            try run.expect(rows)
        },
    ]

    private static func randomReads(
        _ name: String,
        _ summary: String,
        _ baseline: Counterpart,
        _ body: @escaping @Sendable (WorkloadRun) throws -> Void
    ) -> Workload {
        read(name, summary, baseline, operations: { $0.reads }, body)
    }

    private static func read(
        _ name: String,
        _ summary: String,
        _ baseline: Counterpart,
        operations: @escaping @Sendable (WorkloadRun) -> Int = { $0.count },
        _ body: @escaping @Sendable (WorkloadRun) throws -> Void
    ) -> Workload {
        Workload(
            name: name,
            group: .read,
            summary: summary,
            baseline: baseline,
            onlyReads: true,
            run: { run in
                try body(run)
                return Work(operations: operations(run))
            }
        )
    }

    /// How many IDs are in a query, and the distance between consecutive ones: a prime number, so that all documents
    /// are read.
    private static let (keys, step) = (1000, 7919)

    private static func readKeys(_ name: String, _ summary: String, _ includeDocs: Bool) -> Workload {
        Workload(
            name: name,
            group: .read,
            summary: summary,
            baseline: .library(name),
            onlyReads: true,
            latencyOf: "query of 1,000",
            run: { run in
                var rows = 0
                for first in stride(from: 0, to: run.count, by: keys) {
                    let turns = first..<min(first + keys, run.count)
                    try run.latencies.time {
                        var query = run.database.allDocumentsQuery(keys: turns.map { run.id($0 * step % run.count) })
                        query.includeDocs = includeDocs
                        try query.forEach { row in
                            rows += 1
                            run.checksum &+= UInt64(row.valueJSON?.count ?? 0)
                            if includeDocs { run.checksum &+= row.documentRevision.map { touch($0.json) } ?? 0 }
                        }
                    }
                }
                // If the step divides the number of documents, some documents are read twice.
                if run.count % step != 0 { try run.expect(rows) }
                return Work(operations: run.count)
            }
        )
    }
}
