internal import Settee

extension Workload {
    static let space: [Workload] = [
        Workload(
            name: "compact",
            group: .space,
            summary: "dropping the old bodies after each document was updated, and rewriting the files",
            content: .updated,
            baseline: .library("compact"),
            latencyOf: "compaction",
            run: { run in try run.compact() }
        ),
        Workload(
            name: "rewrite",
            group: .space,
            summary: "rewriting the files of a database without old bodies",
            baseline: .library("rewrite"),
            latencyOf: "compaction",
            refusal: { $0.name == "lmdb" || $0.name == "rocksdb" ? nil : "as compact" },
            run: { run in try run.compact() }
        ),
        Workload(
            name: "compact-half",
            group: .space,
            summary: "compaction after every second document was deleted",
            latencyOf: "compaction",
            prepare: { run in
                for first in stride(from: 0, to: run.count, by: 2 * WorkloadRun.batch) {
                    try run.database.inTransaction {
                        for index in stride(from: first, to: min(first + 2 * WorkloadRun.batch, run.count), by: 2) {
                            _ = try run.database[run.id(index)].delete()
                        }
                    }
                }
            },
            run: { run in try run.compact() }
        ),
    ]
}

extension WorkloadRun {
    fileprivate func compact() throws -> Workload.Work {
        _ = try latencies.time { try database.compact() }
        return Workload.Work(operations: count)
    }
}
