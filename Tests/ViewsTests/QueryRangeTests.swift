import Settee
import SetteeTestSupport
import Testing

/// Which rows a query's options select, and in which order.
@Suite struct QueryRangeTests {
    /// In order. No document emits every second one.
    private static let keys: [JSONValue] = [
        nil, true, -1, 0, 0.5, 2, "", "a", "é", "z", [], ["a"], ["a", 0], ["b"], [:], ["a": 1],
    ]

    /// A row of the view: the position of its key in the list, the document, and the number of rows of this document
    /// before it.
    private struct Row {
        var place: Int
        var id: String
        var emit: Int
        var line: String { "\(QueryRangeTests.keys[place]) \(emit) \(id)" }
    }

    /// Three documents emit each key that is emitted, one of them twice.
    private static let rows: [Row] = stride(from: 0, to: keys.count, by: 2).flatMap { place in
        [("a", 0), ("b", 0), ("b", 1), ("d", 0)].map { Row(place: place, id: $0.0, emit: $0.1) }
    }

    private func makeView(_ bed: TestDatabase) throws -> DatabaseQuery {
        for id in ["a", "b", "d"] { try bed.database[id].put([:]) }
        try bed.view().setMap(version: "1") { document, emit in
            for place in QueryRangeTests.keys.indices.reversed() {
                for row in QueryRangeTests.rows where row.place == place && row.id == document.id.string {
                    emit(QueryRangeTests.keys[place], JSONValue(row.emit))
                }
            }
        }
        return bed.view().query()
    }

    /// What a query must return according to its documentation, row by row.
    private func expected(_ query: DatabaseQuery) -> [String] {
        let (lower, lowerID, lowerIncluded) =
            query.descending
            ? (query.endKey, query.endKeyDocID?.string, query.inclusiveEnd)
            : (query.startKey, query.startKeyDocID?.string, query.inclusiveStart)
        let (upper, upperID, upperIncluded) =
            query.descending
            ? (query.startKey, query.startKeyDocID?.string, query.inclusiveStart)
            : (query.endKey, query.endKeyDocID?.string, query.inclusiveEnd)
        /// Negative, 0 or positive, as a row is before, at or after a bound.
        func order(_ row: Row, _ key: JSONValue, _ id: String?) -> Int {
            let place = QueryRangeTests.keys.firstIndex(of: key) ?? -1
            if row.place != place { return row.place < place ? -1 : 1 }
            guard let id, id != row.id else { return 0 }
            return bytes(row.id).lexicographicallyPrecedes(bytes(id)) ? -1 : 1
        }
        var rows = QueryRangeTests.rows.filter { row in
            if let lower {
                let order = order(row, lower, lowerID)
                if order < 0 || order == 0 && !lowerIncluded { return false }
            }
            if let upper {
                let order = order(row, upper, upperID)
                if order > 0 || order == 0 && !upperIncluded { return false }
            }
            return true
        }
        if query.descending { rows.reverse() }
        return rows.dropFirst(query.skip).prefix(query.limit ?? .max).map(\.line)
    }

    @Test(arguments: Storage.all) func everyRange(_ type: StorageType) throws {
        try withDatabase(type) { (bed) throws in
            var query = try makeView(bed)
            let bounds: [JSONValue?] = [nil, .some(.null), true, "", "a", ["a", 0], ["a": 1]]
            #expect(try query.lines().count == 32)
            for descending in [false, true] {
                query.descending = descending
                for start in bounds {
                    query.startKey = start
                    for end in bounds {
                        query.endKey = end
                        for flags in 0..<4 {
                            query.inclusiveStart = flags & 1 == 0
                            query.inclusiveEnd = flags & 2 == 0
                            let rows = try query.run().map(\.line)
                            try #require(rows == expected(query), "\(describe(query))")
                        }
                    }
                }
            }
        }
    }

    @Test(arguments: Storage.all) func everyRangeByDocument(_ type: StorageType) throws {
        try withDatabase(type) { (bed) throws in
            var query = try makeView(bed)
            let keys: [JSONValue?] = [nil, "", "a", ["a", 0]]
            let ids: [DocumentID?] = [nil, "a", "aa", "b", "d", "e"]
            for descending in [false, true] {
                query.descending = descending
                for (start, end) in keys.flatMap({ start in keys.map { (start, $0) } }) {
                    (query.startKey, query.endKey) = (start, end)
                    for (startID, endID) in ids.flatMap({ start in ids.map { (start, $0) } }) {
                        (query.startKeyDocID, query.endKeyDocID) = (startID, endID)
                        let flags =
                            (startID?.string.utf8.count ?? 0) + 2 * (endID?.string.utf8.first.map { Int($0) } ?? 0)
                        query.inclusiveStart = flags & 1 == 0
                        query.inclusiveEnd = flags & 2 == 0
                        let rows = try query.run().map(\.line)
                        try #require(rows == expected(query), "\(describe(query))")
                    }
                }
            }
        }
    }

    @Test(arguments: Storage.all) func limitAndSkip(_ type: StorageType) throws {
        try withDatabase(type) { (bed) throws in
            var query = try makeView(bed)
            for limit in [nil, 0, 1, 2, 5, 31, 32, 33, .max] as [Int?] {
                for skip in [0, 1, 3, 31, 32, 33, .max] {
                    for descending in [false, true] {
                        (query.limit, query.skip, query.descending) = (limit, skip, descending)
                        (query.startKey, query.endKey) = (nil, nil)
                        #expect(try query.lines() == expected(query), "\(describe(query))")
                        (query.startKey, query.endKey) = descending ? (["b"], "") : ("", ["b"])
                        #expect(try query.lines() == expected(query), "\(describe(query))")
                    }
                }
            }
        }
    }

    /// Rows are read in batches; where one ends makes no difference.
    @Test(arguments: Storage.all) func manyRows(_ type: StorageType) throws {
        try withDatabase(type) { (bed) throws in
            let count = 1100
            try bed.database.put((0..<count).map { (id: "\($0)", body: ["n": JSONValue($0)]) })
            try bed.view().setMap(version: "1") { document, emit in
                emit(JSONValue((document["n"]?.intValue ?? 0) / 300))
                if document["n"]?.intValue == 700 { for _ in 0..<600 { emit(2, 2) } }
            }
            let all = try bed.view().query().lines()
            #expect(all.count == 1700)
            #expect(try bed.view().query(descending: true).lines() == all.reversed())
            for (skip, limit) in [(0, 256), (0, 257), (255, 2), (256, 256), (500, 1000), (1699, 5), (1700, 5)] {
                let slice = Array(all.dropFirst(skip).prefix(limit))
                #expect(try bed.view().query(limit: limit, skip: skip).lines() == slice)
                let reversed = Array(all.reversed().dropFirst(skip).prefix(limit))
                #expect(try bed.view().query(descending: true, limit: limit, skip: skip).lines() == reversed)
            }
            #expect(try bed.view().query(keys: [3, 0]).run().count == 500)
            #expect(try bed.view().query(startKey: 1, endKey: 2).run().count == 1200)
            let even = QueryFilter { row in (row.documentID.flatMap { Int($0.string) } ?? 1) % 2 == 0 }
            let expected = try bed.view().query().run().filter { (Int($0.documentID?.string ?? "") ?? 1) % 2 == 0 }.map(
                \.line
            )
            #expect(expected.count == 1150)
            for (skip, limit) in [(0, 2000), (0, 1), (3, 300), (600, 600), (1149, 2), (1150, 1)] {
                let query = bed.view().query(limit: limit, skip: skip).with { $0.postFilter = even }
                #expect(try query.lines() == Array(expected.dropFirst(skip).prefix(limit)))
            }
        }
    }

    @Test(arguments: Storage.all) func keysComeInTheOrderOfTheView(_ type: StorageType) throws {
        try withDatabase(type) { (bed) throws in
            var query = try makeView(bed)
            func expect(
                _ keys: [JSONValue],
                _ found: [JSONValue],
                sourceLocation: SourceLocation = #_sourceLocation
            ) throws {
                query.keys = keys
                for descending in [false, true] {
                    query.descending = descending
                    let rows = QueryRangeTests.rows.filter { found.contains(QueryRangeTests.keys[$0.place]) }.map(
                        \.line
                    )
                    let lines = try query.lines()
                    #expect(lines == (descending ? rows.reversed() : rows), sourceLocation: sourceLocation)
                }
            }
            try expect([], [])
            try expect(["", nil, [], -1], [nil, -1, "", []])
            try expect([-1, -1.0, -1, "none", 3], [-1])
            try expect([["a", 0], ["a"], 0.5, true, "a"], [["a", 0], 0.5])
            // Ranges are ignored, limits are not.
            (query.startKey, query.endKey) = ("y", "z")
            try expect([0.5], [0.5])
            query.descending = false
            (query.limit, query.skip) = (5, 3)
            query.keys = ["é", nil, 0.5]
            #expect(try query.lines() == ["null 0 d", "0.5 0 a", "0.5 0 b", "0.5 1 b", "0.5 0 d"])
            query = bed.view().query(keys: ["e\u{301}"])
            #expect(try query.run().map(\.key) == ["é", "é", "é", "é"], "What the order takes for equal is one key.")
        }
    }

    @Test(arguments: Storage.all) func documentIDsHoldForEachKey(_ type: StorageType) throws {
        try withDatabase(type) { (bed) throws in
            let all = try makeView(bed)
            let keys: [JSONValue] = ["", "a", ["a", 0]]
            let ids: [DocumentID?] = [nil, "a", "aa", "b", "d", "e"]
            for (startID, endID) in ids.flatMap({ start in ids.map { (start, $0) } }) {
                for (descending, inclusive) in [(false, true), (false, false), (true, true), (true, false)] {
                    var query = all
                    (query.startKeyDocID, query.endKeyDocID, query.descending) = (startID, endID, descending)
                    var expected: [String] = []
                    for key in descending ? keys.reversed() : keys {
                        var one = query
                        (one.startKey, one.endKey) = (key, key)
                        one.inclusiveStart = inclusive || startID == nil
                        one.inclusiveEnd = inclusive || endID == nil
                        expected += try one.lines()
                    }
                    (query.keys, query.inclusiveStart, query.inclusiveEnd) = (keys, inclusive, inclusive)
                    #expect(try query.lines() == expected, "\(describe(query))")
                }
            }
        }
    }

    @Test(arguments: Storage.all) func optionsOutOfTheirRange(_ type: StorageType) throws {
        try withDatabase(type) { (bed) throws in
            let query = try makeView(bed)
            var deep: JSONValue = 1
            for _ in 0..<600 { deep = .array([deep]) }
            let changes: [(inout DatabaseQuery) -> Void] = [
                { $0.limit = -1 }, { $0.skip = -1 }, { $0.prefixMatchLevel = -1 }, { $0.groupLevel = -1 },
                { $0.startKey = .double(.nan) }, { $0.endKey = .double(.infinity) }, { $0.keys = [.double(.nan)] },
                { $0.startKey = deep }, { $0.keys = [1, deep] },
                { $0.endKey = .string(String(repeating: "long", count: 300_000)) }, { $0.reduce = true },
                { ($0.endKey, $0.prefixMatchLevel) = (deep, 1) },
            ]
            for (number, change) in changes.enumerated() {
                let changed = query.with(change)
                expectError(.badParameter, "\(number)") { try changed.run() }
                expectError(.badParameter, "\(number)") { try changed.forEach { _ in } }
                expectError(.badParameter, "\(number)") { try changed.first() }
            }
        }
    }

    private func describe(_ query: DatabaseQuery) -> String {
        """
        from \(query.startKey?.description ?? "-") \(query.startKeyDocID ?? "-") \(query.inclusiveStart) \
        to \(query.endKey?.description ?? "-") \(query.endKeyDocID ?? "-") \(query.inclusiveEnd) \
        descending \(query.descending) limit \(query.limit ?? -1) skip \(query.skip)
        """
    }
}
