internal import Settee

/// Workloads on `find`. What they are compared with is SQLite itself, or the same work done in another way here.
extension Workload {
    static let finding: [Workload] = [
        build("find-build", "the first build of a value index on a number"),
        build("find-build-1", "the same on one thread", Change(mappingThreads: 1)),
        scan("find-count", "how many documents have a number below a limit, without an index"),
        scan("find-count-1", "the same on one thread", Change(mappingThreads: 1)),
        Workload(
            name: "find-row",
            group: .query,
            summary: "one document by a number, with an index, by a thousand queries that are made before",
            unit: "queries",
            baseline: .workload("read-single"),
            latencyOf: "query",
            place: .number,
            prepare: { run in
                try run.makeIndex(.number)
                try run.makeQuestions(.number, 1000)
            },
            run: { run in
                for turn in 0..<run.reads {
                    try run.timeSome(turn) {
                        guard let row = try run.questions[turn % run.questions.count].first() else {
                            throw WorkloadRun.missing
                        }
                        run.checksum &+= touch(row.revision.json)
                    }
                }
                return Work(operations: run.reads)
            }
        ),
        Workload(
            name: "find-range",
            group: .query,
            summary: "all documents by a number, with an index, in a hundred ranges",
            unit: "rows",
            baseline: .workload("view-range-docs"),
            latencyOf: "query",
            place: .number,
            prepare: { run in
                try run.makeView(.number)
                try run.findBounds()
                try run.makeIndex(.number)
            },
            run: { run in
                let path = try run.path(of: .number)
                var rows = 0
                for number in run.bounds.indices {
                    var range: JSONObject = ["$gte": run.bounds[number]]
                    if number + 1 < run.bounds.count { range["$lt"] = run.bounds[number + 1] }
                    try run.latencies.time {
                        try run.database.find([path: .object(range)]).forEach { row in
                            rows += 1
                            run.checksum &+= touch(row.revision.json)
                        }
                    }
                }
                return Work(operations: rows)
            }
        ),
        Workload(
            name: "view-range-docs",
            group: .query,
            summary: "the same by a view",
            unit: "rows",
            latencyOf: "query",
            place: .number,
            prepare: { run in
                try run.makeView(.number)
                try run.findBounds()
            },
            run: { run in
                var rows = 0
                for number in run.bounds.indices {
                    var query = run.view.query(startKey: run.bounds[number], includeDocs: true)
                    if number + 1 < run.bounds.count {
                        query.endKey = run.bounds[number + 1]
                        query.inclusiveEnd = false
                    }
                    try run.latencies.time {
                        try query.forEach { row in
                            rows += 1
                            run.checksum &+= touch(row.documentRevision?.json ?? [])
                        }
                    }
                }
                return Work(operations: rows)
            }
        ),
        questions("find-names", "a hundred questions for a text, one after another, without an index") { _ in },
        questions("find-names-index", "the same with an index") { run in try run.makeIndex(.text) },
        Workload(
            name: "insert-indexed",
            group: .write,
            summary: "like insert-batch, beside five value indexes",
            content: .empty,
            baseline: .workload("insert-batch"),
            latencyOf: "transaction",
            place: .number,
            prepare: { run in
                let number = try run.path(of: .number)
                let group = (try? run.path(of: .group)) ?? "_id"
                let indexes: [[FindOrder]] = [
                    [.ascending(number)], [.descending(number)], [.ascending(group)],
                    [.ascending(group), .descending(number)],
                ]
                for (name, fields) in indexes.enumerated() {
                    try run.database.createIndex("bench-\(name)", on: fields)
                }
                try run.database.createIndex("bench-part", on: [.ascending(number)], where: [number: ["$gt": 10]])
            },
            run: { run in
                try run.insertAll()
                return run.allWritten()
            }
        ),
    ]

    private static func build(_ name: String, _ summary: String, _ change: Change = Change()) -> Workload {
        Workload(
            name: name,
            group: .query,
            summary: summary,
            change: change,
            baseline: .sqlite("view-build"),
            place: .number,
            prepare: { run in try run.defineIndex(.number) },
            run: { run in
                try run.updateIndex()
                return Work(operations: run.count)
            }
        )
    }

    private static func scan(_ name: String, _ summary: String, _ change: Change = Change()) -> Workload {
        Workload(
            name: name,
            group: .query,
            summary: summary,
            change: change,
            baseline: .sqlite("find-count"),
            place: .number,
            run: { run in
                let query = try run.database.find([try run.path(of: .number): ["$lt": 10_000]])
                run.checksum &+= UInt64(try query.count())
                return Work(operations: run.count)
            }
        )
    }

    private static func questions(
        _ name: String,
        _ summary: String,
        _ prepare: @escaping @Sendable (WorkloadRun) throws -> Void
    ) -> Workload {
        Workload(
            name: name,
            group: .query,
            summary: summary,
            unit: "questions",
            most: 10_000,
            latencyOf: "question",
            place: .text,
            prepare: { run in
                try prepare(run)
                try run.makeQuestions(.text, 100)
            },
            run: { run in
                for question in run.questions {
                    try run.latencies.time {
                        for row in try question.run() { run.checksum &+= touch(row.revision.json) }
                    }
                }
                return Work(operations: run.questions.count)
            }
        )
    }
}
