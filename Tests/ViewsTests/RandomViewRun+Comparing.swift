import Settee
import SetteeTestSupport
import Testing

/// Random queries, each compared with what is computed from all documents.
extension RandomViewRun {
    mutating func compare(_ database: Database) throws {
        var documents: [NaiveView.Source] = []
        for row in try database.allDocuments(.init(includeBodies: true)).rows() {
            let body = try JSONValue(parsing: row.json ?? [])
            let conflicts = try database[row.documentID.string].conflictingRevisions().count - 1
            documents.append(NaiveView.Source(id: row.documentID.string, body: body, conflicts: conflicts))
        }
        for (name, view) in views where random(2) == 0 {
            for number in 0..<6 {
                let query = query(database.view(name), isWhole: number == 0)
                let expected = view.lines(query, documents)
                let isSnapshot = random(3) == 0
                let found =
                    isSnapshot
                    ? try database.read { _ in try query.run().map(\.line) } : try query.run().map(\.line)
                compared += expected.count
                try require(
                    found == expected,
                    """
                    \(name)\(isSnapshot ? " inside read" : "")\(database.isReadOnly ? " read-only" : ""), \
                    \(describe(query)): \(found), not \(expected)
                    """
                )
            }
        }
    }

    /// Like `compare`, in the same files opened read-only: what the indexes lack is computed in memory.
    mutating func compareReadOnly() throws {
        guard bed.isPersistent else { return }
        try bed.database.close()
        let manager = try Manager(
            directory: bed.folder.url,
            options: .init(readOnly: true),
            engines: [Storage.factory(bed.type)]
        )
        let database = try manager.database(named: "test")
        try setMaps(database)
        try compare(database)
        try manager.close()
        try bed.reopen()
        try setMaps(bed.database)
    }

    private mutating func query(_ view: DatabaseView, isWhole: Bool) -> DatabaseQuery {
        var query = view.query()
        query.mapOnly = random(3) > 0
        if isWhole { return query }
        if !query.mapOnly {
            query.group = random(3) == 0
            query.groupLevel = random(4)
            if random(4) == 0 { query.reduce = false }
        }
        if random(5) == 0 {
            query.keys = (0..<random(5)).map { _ in key(depth: 2) }
        } else {
            if random(3) > 0 { query.startKey = key(depth: 2) }
            if random(3) > 0 { query.endKey = random(4) == 0 ? query.startKey : key(depth: 2) }
            if random(4) == 0 { query.prefixMatchLevel = 1 + random(3) }
        }
        if random(4) == 0 { query.startKeyDocID = DocumentID(stringLiteral: RandomViewRun.ids[random(8)]) }
        if random(4) == 0 { query.endKeyDocID = DocumentID(stringLiteral: RandomViewRun.ids[random(8)]) }
        query.inclusiveStart = random(4) > 0
        query.inclusiveEnd = random(4) > 0
        query.descending = random(2) == 0
        if random(3) == 0 { query.limit = random(6) }
        if random(3) == 0 { query.skip = random(4) }
        return query
    }

    private func describe(_ query: DatabaseQuery) -> String {
        """
        keys \(query.keys.map { JSONValue.array($0).description } ?? "-") \
        from \(query.startKey?.description ?? "-") \(query.startKeyDocID ?? "-") \(query.inclusiveStart) \
        to \(query.endKey?.description ?? "-") \(query.endKeyDocID ?? "-") \(query.inclusiveEnd) \
        prefix \(query.prefixMatchLevel) descending \(query.descending) limit \(query.limit ?? -1) skip \(query.skip) \
        mapOnly \(query.mapOnly) reduce \(query.reduce.map { "\($0)" } ?? "-") group \(query.group) \(query.groupLevel)
        """
    }

    func require(_ condition: Bool, _ what: @autoclosure () -> String) throws {
        try #require(condition, "seed \(seed), step \(step): \(what())")
    }
}
