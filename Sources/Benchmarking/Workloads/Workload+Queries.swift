internal import Settee

/// Workloads on views. What they are compared with is SQLite's own index on a value inside the documents.
extension Workload {
    static let queries: [Workload] = [
        build("view-build", "the first build of a view on a number", .number, .sqlite("view-build")),
        build("view-build-1", "the same on one thread", .number, .sqlite("view-build"), Change(mappingThreads: 1)),
        build("view-build-string", "the same on a text", .text, .sqlite("view-build-string")),
        update("view-update", "bringing the view up to date after every hundredth document has changed", every: 100),
        update("view-update-10", "the same after every tenth has", every: 10),
        query("view-range", "all rows of the view, in a hundred ranges", .number, .sqlite("view-range")) { run in
            var rows = 0
            for number in run.bounds.indices {
                try run.latencies.time {
                    var query = run.view.query(startKey: run.bounds[number])
                    if number + 1 < run.bounds.count {
                        query.endKey = run.bounds[number + 1]
                        query.inclusiveEnd = false
                    }
                    rows += try run.count(query)
                }
            }
            return rows
        },
        query("view-prefix", "rows by the beginning of a text, a hundred times", .text) { run in
            var rows = 0
            for number in 0..<100 {
                guard case .string(let text) = run.bounds[number % run.bounds.count] else { continue }
                try run.latencies.time {
                    let start = String(text.prefix(2))
                    var query = run.view.query(startKey: start, endKey: start, limit: 1000)
                    query.prefixMatchLevel = 1
                    rows += try run.count(query)
                }
            }
            return rows
        },
        query(
            "view-reduce",
            "one number for all rows of a hundred ranges, by stored reductions",
            .number,
            reduce: "_count"
        ) { run in
            for number in run.bounds.indices {
                try run.latencies.time {
                    let end = run.bounds[min(number + run.bounds.count / 2, run.bounds.count - 1)]
                    let row = try run.view.query(startKey: run.bounds[number], endKey: end).first()
                    run.checksum &+= UInt64(row?.valueJSON?.count ?? 0)
                }
            }
            return run.bounds.count
        },
        query("view-group", "a count for each key, over all rows, ten times", .group, reduce: "_count") { run in
            for _ in 0..<10 {
                try run.latencies.time {
                    var query = run.view.query()
                    query.group = true
                    run.checksum &+= UInt64(try run.count(query))
                }
            }
            return 10
        },
        Workload(
            name: "view-open",
            group: .query,
            summary: "opening the database and reading the first row of the view",
            unit: "openings",
            baseline: .sqlite("view-open"),
            place: .number,
            prepare: { run in try run.makeView(.number) },
            run: { run in
                try run.openOften { guard try run.view.query().first() != nil else { throw WorkloadRun.missing } }
            }
        ),
        Workload(
            name: "view-put",
            group: .query,
            summary: "single puts, first alone, then while a thread builds the view from nothing",
            unit: "puts",
            place: .number,
            prepare: { run in try run.makeView(.number) },
            run: { run in try PutsBesideBuild(run).work() }
        ),
        live("view-live", "from an insert to the result of a live query, one after another", .workload("view-by-hand"))
        {
            try $0.live()
        },
        live("view-by-hand", "the same without a live query: an insert, then the query", nil) { try $0.byHand() },
    ]

    private static func build(
        _ name: String,
        _ summary: String,
        _ place: IndexedPlaces.Kind,
        _ baseline: Counterpart,
        _ change: Change = Change()
    ) -> Workload {
        Workload(
            name: name,
            group: .query,
            summary: summary,
            change: change,
            baseline: baseline,
            place: place,
            prepare: { run in try run.defineView(place) },
            run: { run in
                try run.view.updateIndex()
                return Work(operations: run.count)
            }
        )
    }

    private static func update(_ name: String, _ summary: String, every: Int) -> Workload {
        Workload(
            name: name,
            group: .query,
            summary: summary,
            unit: "changed documents",
            baseline: every == 100
                ? .library("view-update", leavesOut: "nothing; it updates the documents besides") : nil,
            place: .number,
            prepare: { run in
                try run.makeView(.number)
                try run.database.inTransaction {
                    for index in stride(from: 0, to: run.count, by: every) {
                        let parent = try run.database[run.id(index)].currentRevision?.id
                        try run.database[run.id(index)].put(json: run.documents.body(index + 7), parent: parent)
                    }
                }
            },
            run: { run in
                try run.view.updateIndex()
                return Work(operations: (run.count + every - 1) / every)
            }
        )
    }

    private static func query(
        _ name: String,
        _ summary: String,
        _ place: IndexedPlaces.Kind,
        _ baseline: Counterpart? = nil,
        reduce: String? = nil,
        _ body: @escaping @Sendable (WorkloadRun) throws -> Int
    ) -> Workload {
        Workload(
            name: name,
            group: .query,
            summary: summary,
            unit: reduce == nil ? "rows" : "queries",
            baseline: baseline,
            latencyOf: "query",
            place: place,
            prepare: { run in
                try run.makeView(place, reduce: reduce)
                try run.findBounds()
            },
            run: { run in Work(operations: try body(run)) }
        )
    }

    private static func live(
        _ name: String,
        _ summary: String,
        _ baseline: Counterpart?,
        _ body: @escaping @Sendable (InsertsToResults) throws -> Work
    ) -> Workload {
        Workload(
            name: name,
            group: .query,
            summary: summary,
            unit: "inserts",
            baseline: baseline,
            place: .number,
            prepare: { run in try run.makeView(.number) },
            run: { run in try body(InsertsToResults(run)) }
        )
    }
}
