import Settee
import SetteeTestSupport
import Testing

/// Queries over all documents.
@Suite struct AllDocumentsTests {
    /// Live documents, tombstones, conflicts, and what was purged.
    private func fill(_ database: Database) throws {
        for id in ["d", "b", "é", "B", "dd"] { try database[id].put(["name": .string(id)]) }
        try database["b"].delete()
        try database.insert("torn", ["2-a", "1-a"], ["n": 1])
        try database.insert("torn", ["2-b", "1-a"], ["n": 2])
        try database.insert("torn", ["3-c", "2-c", "1-a"], [:], isDeleted: true)
        try database.insert("once", ["2-a", "1-a"], ["n": 1])
        try database.insert("once", ["3-c", "2-c", "1-a"], [:], isDeleted: true)
        try database.insert("dead", ["2-a", "1-a"], [:], isDeleted: true)
        try database.insert("dead", ["2-b", "1-a"], [:], isDeleted: true)
        try database["gone"].put([:])
        try database["gone"].purge()
        try database["_local/x"].put([:])
        try database["d"].update { $0["n"] = 1 }
    }

    /// ID, deletion and conflicts of each row, after checking that everything else agrees with the document.
    private func rows(
        _ query: DatabaseQuery,
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws -> [String] {
        try query.lines().isEmpty
            ? []
            : query.run().map { row in
                let id = try #require(row.documentID)
                let revision = try #require(try query.database[id].revision())
                #expect(row.key == .string(id.string) && row.sourceDocumentID == id, sourceLocation: sourceLocation)
                // The document's sequence: its other branches have sequences, too.
                #expect(
                    row.sequence == (try sequence(of: id.string, in: query.database)),
                    sourceLocation: sourceLocation
                )
                if query.includeDocs {
                    #expect(row.documentRevision?.sequence == revision.sequence, sourceLocation: sourceLocation)
                }
                #expect(row.value?["rev"] == .string(revision.id.string), sourceLocation: sourceLocation)
                #expect(row.value?["deleted"] == (revision.isDeleted ? true : nil), sourceLocation: sourceLocation)
                #expect(
                    row.documentRevision?.id == (query.includeDocs ? revision.id : nil),
                    sourceLocation: sourceLocation
                )
                #expect(
                    row.documentRevision?.text == (query.includeDocs ? revision.text : nil),
                    sourceLocation: sourceLocation
                )
                let conflicts = row.value?["conflicts"]?.arrayValue?.compactMap(\.stringValue)
                if let conflicts {
                    #expect(
                        try conflicts == query.database[id].conflictingRevisions().map(\.id.string),
                        sourceLocation: sourceLocation
                    )
                }
                return id.string + (revision.isDeleted ? " deleted" : "") + (conflicts.map { " \($0.count)" } ?? "")
            }
    }

    private func sequence(of id: String, in database: Database) throws -> UInt64? {
        try database.changes(since: 0).rows().first { $0.documentID.string == id }?.sequence
    }

    /// This query is how documents are listed: its rows have all that a list needs, and show the state that is read.
    @Test(arguments: Storage.all) func aRowTellsItsRevision(_ type: StorageType) throws {
        try withDatabase(type) { (bed) throws in
            let database = bed.database
            let first = try database["a"].put(["n": 1])
            try database["b"].put([:])
            let tombstone = try database["b"].delete()
            for includeDocs in [false, true] {
                let rows = try database.allDocumentsQuery(.includeDeleted, includeDocs: includeDocs).run()
                #expect(rows.map(\.documentRevisionID) == [first.id, tombstone.id])
                #expect(rows.map(\.isDeleted) == [false, true])
            }
            // A value that looks like a revision has no effect.
            let view = database.view("v")
            try view.setMap(version: "1") { _, emit in emit(1, ["rev": "7-x", "deleted": true]) }
            let emitted = try #require(try view.query().first())
            #expect(emitted.documentRevisionID == nil && !emitted.isDeleted)
            #expect(try view.query(includeDocs: true).first()?.documentRevisionID == first.id)
            try database.read { _ in
                try Background { try database["c"].put([:]) }.join()
                #expect(try database.allDocumentsQuery().run().map(\.key) == ["a"])
                #expect(try database.changes(since: 0).ids() == ["a", "b"])
            }
            #expect(try database.allDocumentsQuery().run().map(\.key) == ["a", "c"])
        }
    }

    @Test(arguments: Storage.all) func optionsCanBeGivenAtOnce(_ type: StorageType) throws {
        try withDatabase(type) { (bed) throws in
            let database = bed.database
            var query = database.allDocumentsQuery(.showConflicts)
            (query.startKey, query.endKey, query.keys, query.descending) = ("z", "a", ["k", "l"], true)
            (query.limit, query.skip, query.prefixMatchLevel, query.includeDocs) = (3, 1, 1, true)
            let same = database.allDocumentsQuery(
                .showConflicts,
                startKey: "z",
                endKey: "a",
                keys: ["k", "l"],
                descending: true,
                limit: 3,
                skip: 1,
                prefixMatchLevel: 1,
                includeDocs: true
            )
            #expect(query == same && query != database.allDocumentsQuery(.showConflicts))
        }
    }

    @Test(arguments: Storage.all) func theModes(_ type: StorageType) throws {
        try withDatabase(type) { (bed) throws in
            let database = bed.database
            for mode in AllDocumentsMode.allCases { #expect(try rows(database.allDocumentsQuery(mode)) == []) }
            try fill(database)
            #expect(database.allDocumentsQuery() == database.allDocumentsQuery(.allDocs))
            for includeDocs in [false, true] {
                func expect(
                    _ mode: AllDocumentsMode,
                    _ expected: [String],
                    sourceLocation: SourceLocation = #_sourceLocation
                ) throws {
                    var query = database.allDocumentsQuery(mode)
                    query.includeDocs = includeDocs
                    #expect(try rows(query) == expected, sourceLocation: sourceLocation)
                    query.descending = true
                    #expect(try rows(query) == expected.reversed(), sourceLocation: sourceLocation)
                    for (skip, limit) in [(0, 0), (0, 1), (1, 2), (2, 100), (100, 1)] {
                        (query.skip, query.limit, query.descending) = (skip, limit, false)
                        let some = expected.dropFirst(skip).prefix(limit)
                        #expect(try rows(query) == Array(some), sourceLocation: sourceLocation)
                        query.descending = true
                        let reversed = expected.reversed().dropFirst(skip).prefix(limit)
                        #expect(try rows(query) == Array(reversed), sourceLocation: sourceLocation)
                    }
                }
                try expect(.allDocs, ["B", "d", "dd", "once", "torn", "é"])
                try expect(.includeDeleted, ["B", "b deleted", "d", "dd", "dead deleted", "once", "torn", "é"])
                try expect(.showConflicts, ["B", "d", "dd", "once", "torn 2", "é"])
                try expect(.onlyConflicts, ["torn 2"])
                try expect(.bySequence, ["é", "B", "dd", "torn", "once", "d"])
            }
        }
    }

    @Test(arguments: Storage.all) func rangesAreOfIDs(_ type: StorageType) throws {
        try withDatabase(type) { (bed) throws in
            try fill(bed.database)
            let ids = ["B", "b", "d", "dd", "dead", "once", "torn", "é"]
            let deleted = ["b", "dead"]
            let bounds: [String?] = [nil, "", "A", "b", "d", "dd", "once", "torn", "z", "é", "ü"]
            for mode in [AllDocumentsMode.allDocs, .includeDeleted] {
                var query = bed.database.allDocumentsQuery(mode)
                for (start, end) in bounds.flatMap({ start in bounds.map { (start, $0) } }) {
                    query.startKey = start.map { .string($0) }
                    query.endKey = end.map { .string($0) }
                    for flags in 0..<8 {
                        query.inclusiveStart = flags & 1 == 0
                        query.inclusiveEnd = flags & 2 == 0
                        query.descending = flags & 4 != 0
                        let (lower, upper) = query.descending ? (end, start) : (start, end)
                        let (withLower, withUpper) =
                            query.descending
                            ? (query.inclusiveEnd, query.inclusiveStart) : (query.inclusiveStart, query.inclusiveEnd)
                        let expected = ids.filter { id in
                            if mode == .allDocs, deleted.contains(id) { return false }
                            if let lower, !bytes(lower).lexicographicallyPrecedes(bytes(id)),
                                !(withLower && id == lower)
                            {
                                return false
                            }
                            if let upper, !bytes(id).lexicographicallyPrecedes(bytes(upper)),
                                !(withUpper && id == upper)
                            {
                                return false
                            }
                            return true
                        }
                        let found = try query.sources()
                        #expect(found == (query.descending ? expected.reversed() : expected))
                    }
                }
            }
            for key in [1, .some(.null), ["a"]] as [JSONValue?] {
                let query = bed.database.allDocumentsQuery()
                expectError(.badParameter) { try query.with { $0.startKey = key }.run() }
                expectError(.badParameter) { try query.with { $0.endKey = key }.run() }
                expectError(.badParameter) { try query.with { $0.limit = -1 }.run() }
            }
        }
    }

    @Test(arguments: Storage.all) func keysAndPrefixes(_ type: StorageType) throws {
        try withDatabase(type) { (bed) throws in
            try fill(bed.database)
            func keys(
                _ keys: [JSONValue],
                _ mode: AllDocumentsMode = .allDocs,
                descending: Bool = false
            ) throws -> [String] {
                var query = bed.database.allDocumentsQuery(mode)
                (query.keys, query.descending) = (keys, descending)
                query.startKey = "ignored"
                return try rows(query)
            }
            #expect(try keys([]) == [])
            #expect(try keys(["torn", "d", "none", "d", "b", 1, nil, "", ["d"], "gone"]) == ["d", "torn"])
            #expect(try keys(["é", "e\u{301}", "d"], descending: true) == ["é", "d"])
            #expect(try keys(["torn", "b"], .includeDeleted) == ["b deleted", "torn"])
            #expect(try keys(["torn", "d"], .showConflicts) == ["d", "torn 2"])
            #expect(try keys(["torn", "d"], .onlyConflicts) == ["torn 2"])
            var query = bed.database.allDocumentsQuery(.includeDeleted)
            (query.startKey, query.endKey, query.prefixMatchLevel) = ("d", "d", 1)
            #expect(try query.sources() == ["d", "dd", "dead"])
            #expect(try query.with { $0.descending = true }.sources() == ["dead", "dd", "d"])
            #expect(try query.with { $0.startKey = nil }.sources() == ["B", "b", "d", "dd", "dead"])
            #expect(
                try query.with {
                    $0.limit = 1
                    $0.skip = 1
                }.sources() == ["dd"]
            )
            #expect(try query.with { $0.endKey = "z" }.sources() == ["d", "dd", "dead", "once", "torn"])
            let even = QueryFilter { $0.documentID?.string.utf8.count == 4 }
            #expect(try bed.database.allDocumentsQuery().with { $0.postFilter = even }.sources() == ["once", "torn"])
        }
    }

    @Test(arguments: Storage.all) func bySequence(_ type: StorageType) throws {
        try withDatabase(type) { (bed) throws in
            try fill(bed.database)
            let all = try bed.database.allDocumentsQuery(.bySequence).run()
            let sequences = all.map(\.sequence)
            #expect(sequences == sequences.sorted())
            let last = try bed.database.lastSequence
            var query = bed.database.allDocumentsQuery(.bySequence)
            for start in 0...last + 1 {
                for end in 0...last + 1 {
                    for flags in 0..<4 {
                        (query.startKey, query.endKey) = (JSONValue(start), JSONValue(end))
                        (query.inclusiveStart, query.inclusiveEnd) = (flags & 1 == 0, flags & 2 == 0)
                        query.descending = false
                        let lower = query.inclusiveStart ? start : start + 1
                        let expected = sequences.filter {
                            $0 >= lower && (query.inclusiveEnd ? $0 <= end : $0 < end)
                        }
                        #expect(try query.run().map(\.sequence) == expected)
                        (query.startKey, query.endKey) = (query.endKey, query.startKey)
                        (query.inclusiveStart, query.inclusiveEnd) = (query.inclusiveEnd, query.inclusiveStart)
                        query.descending = true
                        #expect(try query.run().map(\.sequence) == expected.reversed())
                    }
                }
            }
            for key in [.int(.min), .int(.max), -1, 0] as [JSONValue] {
                for inclusive in [true, false] {
                    let isLow = (key.intValue ?? 0) <= 0
                    query = bed.database.allDocumentsQuery(.bySequence)
                    (query.startKey, query.inclusiveStart) = (key, inclusive)
                    #expect(try query.run().count == (isLow ? sequences.count : 0))
                    query = bed.database.allDocumentsQuery(.bySequence)
                    (query.endKey, query.inclusiveEnd) = (key, inclusive)
                    #expect(try query.run().count == (isLow ? 0 : sequences.count))
                }
            }
            query = bed.database.allDocumentsQuery(.bySequence)
            expectError(.badParameter) { try query.with { $0.keys = ["d"] }.run() }
            expectError(.badParameter) { try query.with { $0.prefixMatchLevel = 1 }.run() }
            for key in ["1", .some(.null), 1.5, .uint(.max), [1]] as [JSONValue?] {
                expectError(.badParameter, "\(String(describing: key))") { try query.with { $0.startKey = key }.run() }
                expectError(.badParameter, "\(String(describing: key))") { try query.with { $0.endKey = key }.run() }
            }
        }
    }

    @Test(arguments: Storage.all) func manyDocuments(_ type: StorageType) throws {
        try withDatabase(type) { (bed) throws in
            let count = 700
            try bed.database.put((0..<count).map { (id: "\($0)", body: ["n": JSONValue($0)]) })
            try bed.database.inTransaction {
                for number in stride(from: 0, to: count, by: 7) { try bed.database["\(number)"].delete() }
                for number in stride(from: 1, to: count, by: 7) {
                    try bed.database.insert("\(number)", ["1-f"], ["other": true])
                    try bed.database.insert("\(number)", ["1-a"], ["other": true])
                }
            }
            for mode in AllDocumentsMode.allCases {
                let query = bed.database.allDocumentsQuery(mode)
                let ids = try query.sources()
                let expected = mode == .includeDeleted ? 700 : mode == .onlyConflicts ? 100 : 600
                #expect(ids.count == expected)
                #expect(Set(ids).count == expected)
                if mode == .bySequence {
                    let sequences = try query.run().map(\.sequence)
                    #expect(sequences == sequences.sorted())
                } else {
                    #expect(ids == ids.sorted())
                }
                #expect(try query.with { $0.descending = true }.sources() == ids.reversed())
                #expect(
                    try query.with { ($0.skip, $0.limit) = (90, 300) }.sources() == Array(ids.dropFirst(90).prefix(300))
                )
                if mode != .bySequence {
                    #expect(try query.with { $0.keys = (0..<count).map { .string("\($0)") } }.sources() == ids)
                }
            }
        }
    }

    @Test(arguments: Storage.all) func insideReadTheyShowThatState(_ type: StorageType) throws {
        try withDatabase(type) { (bed) throws in
            let database = bed.database
            try database["a"].put([:])
            let query = database.allDocumentsQuery()
            try database.read { (_) throws in
                #expect(try query.sources() == ["a"])
                try Background { try database["b"].put([:]) }.join()
                #expect(try query.sources() == ["a"])
            }
            expectApplicationError {
                try database.inTransaction {
                    try database["c"].put([:])
                    #expect(try query.sources() == ["a", "b", "c"])
                    throw ApplicationError()
                }
            }
            let result = try query.run()
            #expect(result.map(\.documentID?.string) == ["a", "b"])
            #expect(try !result.isStale())
            try database["a"].update { $0["n"] = 1 }
            #expect(try query.run() != result, "Another revision is another row.")
        }
    }
}
