import Settee
import SetteeTestSupport
import StorageProtocol
import Testing

/// Queries that run off the caller's thread.
@Suite struct QueryStreamTests {
    private func fill(_ bed: TestDatabase, _ count: Int) throws {
        try bed.database.put((0..<count).map { (id: "\($0)", body: ["n": JSONValue($0)]) })
        try bed.view().setMap(version: "1") { document, emit in emit(document["n"], 1) }
    }

    private func failure(_ body: () async throws -> Void) async -> (any Error)? {
        do {
            try await body()
            return nil
        } catch {
            return error
        }
    }

    @Test(arguments: Storage.all) func rowsComeInOrder(_ type: StorageType) async throws {
        try await withDatabase(type) { (bed) async throws in
            let count = 1000
            try fill(bed, count)
            let query = bed.view().query()
            var keys: [JSONValue] = []
            for try await row in query.stream() { keys.append(row.key) }
            #expect(keys == (0..<count).map { JSONValue($0) })
            let result = try await query.runAsync()
            #expect(result == (try query.run()))
            #expect(result.count == count)
            #expect(try !result.isStale())
            // Again, with other options; a stream can be read several times.
            let stream = query.with { ($0.descending, $0.skip, $0.limit) = (true, 100, 300) }.stream()
            for _ in 0..<2 {
                var keys: [JSONValue] = []
                for try await row in stream { keys.append(row.key) }
                #expect(keys == (600..<900).reversed().map { JSONValue($0) })
            }
            for limit in [0, 1, 256, 257] {
                var rows = 0
                for try await _ in query.with({ $0.limit = limit }).stream() { rows += 1 }
                #expect(rows == limit)
            }
            var ids: [String?] = []
            for try await row in bed.database.allDocumentsQuery().with({ $0.limit = 600 }).stream() {
                ids.append(row.documentID?.string)
            }
            let sorted: [String] = (0..<count).map { "\($0)" }.sorted()
            #expect(ids == Array(sorted.prefix(600)))
            try await bed.database.async.updateIndex(of: "view")
            await expectError(.notFound) { try await bed.database.async.updateIndexes(of: ["view", "none"]) }
        }
    }

    /// After the end, or after an error, there are no more rows.
    @Test(arguments: Storage.all) func theEndStays(_ type: StorageType) async throws {
        try await withDatabase(type) { (bed) async throws in
            try fill(bed, 2)
            var iterator = bed.view().query().stream().makeAsyncIterator()
            #expect(try await iterator.next()?.key == 0)
            #expect(try await iterator.next()?.key == 1)
            for _ in 0..<3 { #expect(try await iterator.next() == nil) }
            try bed.database["new"].put(["n": 5])
            #expect(try await iterator.next() == nil)
            var failing = bed.view("none").query().stream().makeAsyncIterator()
            await expectError(.notFound) { try await failing.next() }
            #expect(try await failing.next() == nil)
            await expectError(.notFound) { try await bed.view("none").query().runAsync() }
            await expectError(.badParameter) { try await bed.view().query(limit: -1).runAsync() }
            var bad = bed.view().query(skip: -1).stream().makeAsyncIterator()
            await expectError(.badParameter) { try await bad.next() }
        }
    }

    @Test(arguments: Storage.all) func aSlowReaderSeesLaterRows(_ type: StorageType) async throws {
        try await withDatabase(type) { (bed) async throws in
            try fill(bed, 600)
            var iterator = bed.view().query().stream().makeAsyncIterator()
            #expect(try await iterator.next()?.key == 0)
            // Each batch shows one state, the next one a later state; no row is returned twice, and none is left out.
            try bed.database["last"].put(["n": 10_000])
            for id in ["0", "100", "599"] { try bed.database[id].delete() }
            try bed.view().updateIndex()
            var keys: [JSONValue] = []
            while let row = try await iterator.next() { keys.append(row.key) }
            #expect(keys == (1..<599).map { JSONValue($0) } + [10_000])
            // No snapshot is held between batches.
            iterator = bed.view().query().stream().makeAsyncIterator()
            _ = try await iterator.next()
            #expect(try bed.engine().statistics().openTransactions == 0)
        }
    }

    @Test(arguments: Storage.all) func anIndexThatIsRebuiltBetweenBatches(_ type: StorageType) async throws {
        try await withDatabase(type) { (bed) async throws in
            try fill(bed, 600)
            let changes: [() throws -> Void] = [
                { try bed.view().deleteIndex() },
                {
                    try bed.view().deleteIndex()
                    try bed.view().updateIndex()
                },
                {
                    try bed.view().setMap(version: "2") { document, emit in emit(document["n"], 2) }
                    try bed.view().updateIndex()
                },
            ]
            for change in changes {
                var iterator = bed.view().query().stream().makeAsyncIterator()
                #expect(try await iterator.next()?.key == 0)
                try change()
                var handed = 1
                do {
                    while try await iterator.next() != nil { handed += 1 }
                    Issue.record("It came to an end.")
                } catch let error as StorageError {
                    #expect(error.code == .conflict)
                    #expect(error.status == 409)
                }
                #expect(handed == 256, "What was read is still handed out.")
                #expect(try await iterator.next() == nil)
                #expect(try await bed.view().query().runAsync().count == 600)
            }
            // A view that is gone is not found.
            var iterator = bed.view().query().stream().makeAsyncIterator()
            _ = try await iterator.next()
            try bed.view().delete()
            await expectError(.notFound) { while try await iterator.next() != nil {} }
            // The same if rows are handed over one by one.
            try fill(bed, 0)
            expectError(.conflict) { try bed.view().query().forEach { _ in try bed.view().deleteIndex() } }
        }
    }

    @Test(arguments: Storage.all) func anErrorInTheMiddle(_ type: StorageType) async throws {
        try await withDatabase(type) { (bed) async throws in
            try fill(bed, 600)
            let query = bed.view().query().with {
                $0.postFilter = QueryFilter { row in
                    if row.key == 500 { throw ApplicationError(number: 5) }
                    return true
                }
            }
            var handed = 0
            do {
                for try await _ in query.stream() { handed += 1 }
                Issue.record("It came to an end.")
            } catch let error as ApplicationError {
                #expect(error.number == 5)
            }
            #expect(handed == 256)
            #expect(
                await failure { _ = try await query.runAsync() } as? ApplicationError == ApplicationError(number: 5)
            )
            // Closed meanwhile.
            var iterator = bed.view().query().stream().makeAsyncIterator()
            _ = try await iterator.next()
            try bed.database.close()
            await expectError(.notOpen) { while try await iterator.next() != nil {} }
            await expectError(.notOpen) { try await bed.view().query().runAsync() }
        }
    }

    @Test(arguments: Storage.all) func cancellationEndsIt(_ type: StorageType) async throws {
        try await withDatabase(type) { (bed) async throws in
            try fill(bed, 600)
            try bed.view().updateIndex()
            let query = bed.view().query()
            let handed = Locked(0)
            let reading = Task {
                for try await _ in query.stream()
                where handed.withLock({
                    $0 += 1
                    return $0
                }) == 10 {
                    withUnsafeCurrentTask { $0?.cancel() }
                }
            }
            #expect(await failure { try await reading.value } is CancellationError)
            #expect(handed.withLock { $0 } == 256, "The batch that was read is handed out.")
            let filter = QueryFilter { row in
                if row.key == 10 { handed.withLock { $0 = -1 } }
                return true
            }
            let task = Task {
                withUnsafeCurrentTask { $0?.cancel() }
                return try await query.with { $0.postFilter = filter }.runAsync()
            }
            #expect(await failure { _ = try await task.value } is CancellationError)
            #expect(handed.withLock { $0 } == 256, "Nothing was read any more.")
        }
    }

    /// Off the thread it takes no part in the caller's transaction.
    @Test(arguments: Storage.all) func itIsOutsideOfTransactions(_ type: StorageType) async throws {
        try await withDatabase(type) { (bed) async throws in
            try fill(bed, 3)
            let query = bed.view().query()
            let result = try await bed.database.async.inTransaction { database in
                try database["new"].put(["n": 9])
                return try query.run()
            }
            #expect(result.count == 4)
            let snapshot = try await bed.database.async.read { _ in try query.run() }
            #expect(snapshot == result)
        }
    }
}
