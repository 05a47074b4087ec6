internal import Settee

extension WorkloadRun {
    private static let viewName = "bench"
    private static let ranges = 100
    private var openings: Int { min(200, count) }

    var view: DatabaseView { database.view(WorkloadRun.viewName) }

    /// Defines the view without building its index.
    func defineView(_ place: IndexedPlaces.Kind, reduce: String? = nil) throws {
        guard let pointer = documents.places[place] else { throw WorkloadRun.missing }
        try view.define(ViewDefinition(keys: [try JSONPointer(pointer)], reduce: reduce))
    }

    func makeView(_ place: IndexedPlaces.Kind, reduce: String? = nil) throws {
        try defineView(place, reduce: reduce)
        try view.updateIndex()
    }

    /// Finds the keys of a hundred rows at even distances.
    func findBounds() throws {
        var query = view.query()
        query.mapOnly = true
        let total = try count(query)
        for number in 0..<min(WorkloadRun.ranges, total) {
            var query = view.query(limit: 1, skip: total * number / WorkloadRun.ranges)
            query.mapOnly = true
            guard let row = try query.first() else { throw WorkloadRun.missing }
            bounds.append(row.key)
        }
        guard !bounds.isEmpty else { throw WorkloadRun.missing }
    }

    /// Runs a query, reads the key and the ID of each row, and returns how many there are.
    func count(_ query: DatabaseQuery) throws -> Int {
        var rows = 0
        try query.forEach { row in
            rows += 1
            checksum &+= UInt64(row.keyJSON?.count ?? 0) &+ UInt64(row.sourceDocumentID?.string.utf8.count ?? 0)
        }
        return rows
    }

    /// Opens the database again and again, and each time does `body`.
    func openOften(_ body: () throws -> Void) throws -> Workload.Work {
        for _ in 0..<openings {
            try latencies.time {
                try reopen()
                try body()
            }
        }
        return Workload.Work(operations: openings)
    }
}
