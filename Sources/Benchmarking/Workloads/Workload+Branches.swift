internal import Settee

/// Workloads on one document with many branches.
extension Workload {
    static let branching: [Workload] = [
        branches("branches", "revisions from elsewhere as branches of one document, in one transaction") { run in
            try run.database.inTransaction { try insertBranches(run) }
        },
        branches("branches-single", "the same, each in a transaction of its own") { run in try insertBranches(run) },
        branches("branches-delete", "deleting all branches of such a document, in one transaction", inserted: true) {
            run in
            try run.database[run.id(0)].deleteAllBranches()
        },
    ]

    private static func branches(
        _ name: String,
        _ summary: String,
        inserted: Bool = false,
        _ body: @escaping @Sendable (WorkloadRun) throws -> Void
    ) -> Workload {
        Workload(
            name: name,
            group: .write,
            summary: summary,
            unit: "revisions",
            content: .empty,
            most: 5000,
            prepare: { run in
                let root = try RevisionID(generation: 1, digest: (0, 0))
                var digest: (high: UInt64, low: UInt64) = (0x9E37_79B9_7F4A_7C15, 0)
                run.histories = try (0..<run.count).map { _ in
                    digest = (digest.high &* 0xD134_2543_DE82_EF95 &+ 1, digest.low &+ 1)
                    return [try RevisionID(generation: 2, digest: digest), root]
                }
                if inserted { try run.database.inTransaction { try insertBranches(run) } }
            },
            run: { run in
                try body(run)
                return run.allWritten()
            }
        )
    }

    private static func insertBranches(_ run: WorkloadRun) throws {
        for (index, history) in run.histories.enumerated() {
            try run.database[run.id(0)].forceInsert(json: run.documents.body(index), history: history)
        }
    }
}
