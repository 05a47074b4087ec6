import Settee
import SetteeTestSupport
import Testing

/// A query with limit 0 fails whenever one with a higher limit would fail before its first row.
@Suite struct LimitZeroTests {
    /// Every way to run the query fails with `code`.
    private func expectFailure(
        _ code: StorageError.Code,
        _ query: DatabaseQuery,
        sourceLocation: SourceLocation = #_sourceLocation
    ) async {
        let none = query.with { $0.limit = 0 }
        expectFailureAtOnce(code, none, sourceLocation: sourceLocation)
        await expectError(code, sourceLocation: sourceLocation) { try await none.runAsync() }
        await expectError(code, sourceLocation: sourceLocation) { for try await _ in none.stream() {} }
    }

    private func expectFailureAtOnce(_ code: StorageError.Code, _ none: DatabaseQuery, sourceLocation: SourceLocation) {
        expectError(code, sourceLocation: sourceLocation) { try none.run() }
        expectError(code, sourceLocation: sourceLocation) { try none.forEach { _ in } }
        expectError(code, sourceLocation: sourceLocation) { try none.first() }
    }

    @Test(arguments: Storage.all) func aViewThatDoesNotExist(_ type: StorageType) async throws {
        try await withDatabase(type) { (bed) async throws in
            for mode in [UpdateMode.before, .never, .after] {
                await expectFailure(.notFound, bed.view("none").query(update: mode))
                await expectFailure(.notFound, bed.view("none").query(groupLevel: 1, update: mode))
            }
            await expectFailure(.badID, bed.view("").query())
            try bed.database.read { (_) throws in
                expectError(.notFound) { try bed.view("none").query(limit: 0).run() }
            }
        }
    }

    @Test(arguments: Storage.all) func aVersionThatCountsNoMore(_ type: StorageType) async throws {
        try await withDatabase(type) { (bed) async throws in
            try bed.view().setMap(version: "1", reduce: .count) { _, emit in emit(1) }
            try bed.view().updateIndex()
            try claim("2", bed.database)
            for mode in [UpdateMode.before, .never, .after] {
                await expectFailure(.superseded, bed.view().query(update: mode))
                await expectFailure(.superseded, bed.view().query(update: mode).with { $0.mapOnly = true })
            }
        }
    }

    @Test(arguments: Storage.all) func optionsThatCannotBe(_ type: StorageType) async throws {
        try await withDatabase(type) { (bed) async throws in
            try bed.view().setMap(version: "1") { _, emit in emit(1) }
            let query = bed.view().query()
            await expectFailure(.badParameter, query.with { $0.reduce = true })
            await expectFailure(.badParameter, query.with { $0.startKey = .double(.nan) })
            await expectFailure(.badParameter, query.with { ($0.startKey, $0.groupLevel) = (.double(.nan), 1) })
            await expectFailure(.badParameter, query.with { $0.skip = -1 })
            let documents = bed.database.allDocumentsQuery()
            await expectFailure(.badParameter, documents.with { $0.startKey = 1 })
            await expectFailure(.badParameter, bed.database.allDocumentsQuery(.bySequence).with { $0.keys = [1] })
        }
    }

    /// Otherwise there are no rows, and the index is brought up to date as for any other query.
    @Test(arguments: Storage.all) func noRows(_ type: StorageType) async throws {
        try await withDatabase(type) { (bed) async throws in
            let counter = MapCounter()
            try bed.view().setMap(version: "1", reduce: .count) { document, emit in
                counter.note(document)
                emit(document["n"])
            }
            try bed.database.put((0..<3).map { (id: "\($0)", body: ["n": JSONValue($0)]) })
            let queries = [
                bed.view().query(), bed.view().query(groupLevel: 1), bed.view().query(keys: [1, 2], skip: 1),
                bed.view().query(startKey: 1, descending: true, includeDocs: true).with { $0.mapOnly = true },
                bed.view().query().with { $0.postFilter = QueryFilter { _ in throw ApplicationError() } },
                bed.database.allDocumentsQuery(), bed.database.allDocumentsQuery(.bySequence),
                bed.database.allDocumentsQuery().with { $0.keys = ["1"] },
            ]
            for query in queries.map({ $0.with { $0.limit = 0 } }) {
                #expect(try query.run().isEmpty)
                try query.forEach { row in Issue.record("There is a row: \(row.line)") }
                #expect(try query.first() == nil)
                #expect(try await query.runAsync().isEmpty)
                for try await row in query.stream() { Issue.record("There is a row: \(row.line)") }
                try bed.database.read { (_) throws in #expect(try query.run().isEmpty) }
            }
            #expect(counter.take() == ["0", "1", "2"])
        }
    }
}
