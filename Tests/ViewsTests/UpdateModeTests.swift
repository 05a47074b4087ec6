import Settee
import SetteeTestSupport
import Testing

/// When a query brings the index up to date.
@Suite struct UpdateModeTests {
    private func setMap(_ bed: TestDatabase, _ counter: MapCounter) throws {
        try bed.view().setMap(version: "1") { document, emit in
            counter.note(document)
            emit(document["n"])
        }
    }

    @Test(arguments: Storage.all) func beforeShowsWhatIsThere(_ type: StorageType) throws {
        try withDatabase(type) { (bed) throws in
            let counter = MapCounter()
            try setMap(bed, counter)
            let query = bed.view().query()
            #expect(query.update == .before)
            for number in 0..<5 {
                try bed.database["\(number)"].put(["n": JSONValue(number)])
                #expect(try query.keyList() == (0...number).map { JSONValue($0) })
            }
            #expect(counter.count == 5)
        }
    }

    @Test(arguments: Storage.all) func neverShowsTheIndexAsItIs(_ type: StorageType) throws {
        try withDatabase(type) { (bed) throws in
            let counter = MapCounter()
            try setMap(bed, counter)
            let query = bed.view().query(update: .never)
            try bed.database["a"].put(["n": 1])
            #expect(try query.lines() == [])
            #expect(try query.run().lastSequence == 1)
            #expect(counter.count == 0)
            try bed.view().updateIndex()
            #expect(try query.lines() == ["1 - a"])
            try bed.database["a"].update { $0["n"] = 2 }
            try bed.database["b"].put(["n": 3])
            #expect(try query.lines() == ["1 - a"])
            try bed.database["a"].purge()
            #expect(try query.lines() == ["1 - a"], "The row of a document that is gone stays, too.")
            #expect(try query.with { $0.includeDocs = true }.first()?.documentRevision == nil)
            try bed.database.inTransaction {
                #expect(try query.lines() == ["1 - a"])
                try bed.view().updateIndex()
                #expect(try query.lines() == ["3 - b"])
            }
            try bed.database["b"].delete()
            try bed.database.read { (_) throws in
                #expect(try query.lines() == ["3 - b"])
                #expect(try bed.view().query().lines() == [])
            }
            #expect(try query.lines() == ["3 - b"])
        }
    }

    @Test(arguments: Storage.all) func afterShowsTheIndexAsItIsAndUpdatesThen(_ type: StorageType) throws {
        try withDatabase(type) { (bed) throws in
            let counter = MapCounter()
            try setMap(bed, counter)
            try bed.database["a"].put(["n": 1])
            let query = bed.view().query(update: .after)
            #expect(try query.run().map(\.line) == [])
            try expectEventually { try bed.view().status()?.isStale == false }
            #expect(try query.run().map(\.line) == ["1 - a"])
            try bed.database["b"].put(["n": 2])
            #expect(try query.first()?.line == "1 - a")
            try expectEventually { try bed.view().status()?.isStale == false }
            try bed.database["c"].put(["n": 3])
            var lines: [String] = []
            try query.forEach { lines.append($0.line) }
            #expect(lines == ["1 - a", "2 - b"])
            try expectEventually { try bed.view().status()?.isStale == false }
            #expect(counter.take() == ["a", "b", "c"])
        }
    }

    /// The update that follows a query must not disturb the query's own rows, even if it builds another version
    /// meanwhile.
    @Test(arguments: Storage.all) func afterDoesNotDisturbItsOwnRows(_ type: StorageType) throws {
        try withDatabase(type) { (bed) throws in
            let count = 600
            try bed.database.put((0..<count).map { (id: "\($0)", body: [:]) })
            try bed.view().setMap(version: "0") { _, emit in emit(0) }
            try bed.view().updateIndex()
            for version in 1..<10 {
                try bed.view().setMap(version: "\(version)") { _, emit in emit(JSONValue(version)) }
                let rows = try bed.view().query(update: .after).run()
                #expect(rows.count == count)
                #expect(rows.allSatisfy { $0.key == JSONValue(version - 1) })
                try expectEventually { try bed.view().status()?.isStale == false }
            }
        }
    }

    @Test(arguments: Storage.all) func withoutAMapFunctionOnlyTheOldIndexCanBeRead(_ type: StorageType) throws {
        try withDatabase(type) { (bed) throws in
            guard bed.isPersistent else { return }
            try setMap(bed, MapCounter())
            try bed.database["a"].put(["n": 1])
            try bed.view().updateIndex()
            try bed.reopen()
            #expect(try bed.view().query(update: .never).lines() == ["1 - a"])
            #expect(try bed.view().query(update: .after).run().map(\.line) == ["1 - a"])
            expectError(.notFound) { try bed.view().query().run() }
            expectError(.notFound) { try bed.view().updateIndex() }
            expectError(.notFound) { try bed.database.read { (_) throws in try bed.view().query().run() } }
            let status = try #require(try bed.view().status())
            #expect(status.rowCount == 1)
            #expect(status.version == "1")
            #expect(!status.isStale)
            #expect(try bed.database.viewNames() == ["view"])
            for mode in [UpdateMode.before, .never, .after] {
                expectError(.notFound) { try bed.view("none").query(update: mode).run() }
            }
        }
    }

    /// Whatever happens to a query after its first rows, the index is updated, exactly once.
    @Test(arguments: Storage.all) func afterUpdatesThoughNotAllRowsAreRead(_ type: StorageType) async throws {
        try await withDatabase(type) { (bed) async throws in
            let counter = MapCounter()
            try setMap(bed, counter)
            try bed.database.put((0..<600).map { (id: "\($0)", body: ["n": JSONValue($0)]) })
            try bed.view().updateIndex()
            _ = counter.take()
            let query = bed.view().query(update: .after)
            let waysOut: [(String, () async throws -> Void)] = [
                ("a closure that throws", { try? query.forEach { _ in throw ApplicationError() } }),
                (
                    "a filter that throws",
                    {
                        let filter = QueryFilter { row in
                            if row.key == 300 { throw ApplicationError() }
                            return true
                        }
                        try? query.with { $0.postFilter = filter }.forEach { _ in }
                    }
                ),
                ("a loop that is left", { for try await _ in query.stream() { break } }),
                (
                    "a stream that is dropped",
                    {
                        var iterator = query.stream().makeAsyncIterator()
                        _ = try await iterator.next()
                    }
                ),
                (
                    "a task that is cancelled",
                    {
                        let task = Task {
                            for try await row in query.stream() where row.key == 300 {
                                withUnsafeCurrentTask { $0?.cancel() }
                            }
                        }
                        _ = await task.result
                    }
                ),
                ("a query for no rows", { _ = try query.with { $0.limit = 0 }.run() }),
            ]
            for (number, (name, leave)) in waysOut.enumerated() {
                try bed.database["new \(number)"].put(["n": 1000])
                try await leave()
                try expectEventually("after \(name)") { try bed.view().status()?.isStale == false }
                #expect(counter.take() == ["new \(number)"], "\(name)")
            }
        }
    }

    /// While rows are still to come, the index is left alone: what an update replaces can be read until then.
    @Test(arguments: Storage.all) func afterIsAfterTheLastRow(_ type: StorageType) async throws {
        try await withDatabase(type) { (bed) async throws in
            try setMap(bed, MapCounter())
            try bed.database.put((0..<600).map { (id: "\($0)", body: ["n": JSONValue($0)]) })
            try bed.view().updateIndex()
            try bed.view().setMap(version: "2") { document, emit in emit(document["n"]) }
            var rows = 0
            for try await _ in bed.view().query(update: .after).stream() {
                rows += 1
                if rows == 300 { try bed.database["new"].put(["n": 1000]) }
            }
            #expect(rows == 600)
            try expectEventually { try bed.view().status()?.isStale == false }
        }
    }

    /// An update that closing the database cuts short leaves whole chunks; the next one continues from there.
    @Test(arguments: Storage.persistent) func closingRightAfterAQuery(_ type: StorageType) throws {
        try withDatabase(type) { (bed) throws in
            let count = 9000
            try bed.database.put((0..<count).map { (id: "\($0)", body: ["n": JSONValue($0)]) })
            for version in 0..<4 {
                let map: @Sendable (MapDocument, MapEmitter) -> Void = { document, emit in
                    emit(document["n"], JSONValue(version))
                }
                try bed.view().setMap(version: "\(version)", map)
                _ = try bed.view().query(limit: 1, update: .after).run()
                try bed.reopen()
                #expect(try bed.database.check().map(\.description) == [])
                try bed.view().setMap(version: "\(version)", map)
                if version % 2 == 0 {
                    _ = try bed.view().query(limit: 1, update: .after).run()
                    try expectEventually { try bed.view().status()?.isStale == false }
                }
                let rows = try bed.view().query(update: version % 2 == 0 ? .never : .before).run()
                #expect(rows.map(\.key) == (0..<count).map { JSONValue($0) })
                #expect(rows.allSatisfy { $0.value == JSONValue(version) })
            }
        }
    }
}
