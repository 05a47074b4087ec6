import Foundation
import Settee
import SetteeIndexes
import SetteeProgramSupport
import SetteeTestSupport
import StorageProtocol
import Testing

@testable import SetteeEngine
@testable import SetteeViews

/// Live queries, and results, whose view gets another map function, and those that read the index as it is. They used
/// to be notified only of commits that took a sequence: `update: .after` showed the previous commit's index for ever,
/// and another map function was only noticed with the next document.
@Suite struct LiveViewChangeTests {
    private final class Told: Sendable {
        private let results = Locked<[Result<QueryResult, any Error>]>([])
        func add(_ result: Result<QueryResult, any Error>) { results.withLock { $0.append(result) } }
        var last: QueryResult? { results.withLock { try? $0.last?.get() } }
        var keys: [JSONValue]? { last?.map(\.key) }
        var failure: StorageError.Code? {
            results.withLock { results in
                guard case .failure(let error) = results.last else { return nil }
                return (error as? StorageError)?.code
            }
        }
        var all: [[JSONValue]] { results.withLock { $0.compactMap { try? $0.get().map(\.key) } } }
    }

    private func live(_ query: DatabaseQuery, _ told: Told) -> LiveQueryListener {
        query.live(interval: .zero).addListener { told.add($0) }
    }

    @Test(arguments: Storage.all) func afterCatchesUp(_ type: StorageType) throws {
        try withDatabase(type) { (bed) throws in
            try bed.database["a"].put(["n": 1])
            try bed.view().setMap(version: "1") { document, emit in emit(document["n"], 0) }
            let query = bed.view().query(update: .after)
            let told = Told()
            let listener = live(query, told)
            try expectEventually { told.keys == [1] }
            for number in 2...4 {
                try bed.database["\(number)"].put(["n": JSONValue(number)])
                try expectEventually { told.keys == (1...number).map { JSONValue($0) } }
            }
            try expectEventually { try listener.rows?.isStale() == false }
            listener.remove()
            // Without a live query, too.
            try bed.database["5"].put(["n": 5])
            let late = try query.run()
            #expect(try late.isStale(), "The index lacks a document.")
            try expectEventually { try !query.run().isStale() }
            #expect(try query.keyList() == [1, 2, 3, 4, 5])
        }
    }

    @Test(arguments: Storage.all) func neverFollowsTheIndex(_ type: StorageType) throws {
        try withDatabase(type) { (bed) throws in
            try bed.database["a"].put(["n": 1])
            try bed.view().setMap(version: "1") { document, emit in emit(document["n"], 0) }
            let told = Told()
            let listener = live(bed.view().query(update: .never), told)
            try expectEventually { told.keys == [] }
            #expect(try told.last?.isStale() == true)
            try bed.view().updateIndex()
            try expectEventually { told.keys == [1] }
            try expectEventually { try listener.rows?.isStale() == false }
            try bed.view().deleteIndex()
            try expectEventually { told.keys == [] }
            listener.remove()
        }
    }

    @Test(arguments: Storage.all, [UpdateMode.before, .after])
    func whatTheViewBecomesIsSeenAtOnce(_ type: StorageType, _ update: UpdateMode) throws {
        try withDatabase(type) { (bed) throws in
            try bed.database["a"].put(["n": 1, "m": 2])
            try bed.view().setMap(version: "1") { document, emit in emit(document["n"], 5) }
            let query = bed.view().query(update: update)
            let told = Told()
            let listener = live(query, told)
            func expect(_ keys: [JSONValue], sourceLocation: SourceLocation = #_sourceLocation) throws {
                try expectEventually(sourceLocation: sourceLocation) { told.keys == keys }
                try expectEventually(sourceLocation: sourceLocation) { try listener.rows?.isStale() == false }
            }
            /// The present result, once it is known to be current.
            func fresh() throws -> QueryResult {
                try expectEventually { try listener.rows?.isStale() == false }
                return try #require(listener.rows)
            }
            try expect([1])
            var before = try fresh()
            try bed.view().setMap(version: "2") { document, emit in emit(document["m"], 5) }
            #expect(try before.isStale())
            try expect([2])
            before = try fresh()
            try bed.view().define(ViewDefinition(keys: [try JSONPointer("/_id")]))
            #expect(try before.isStale())
            try expect(["a"])
            before = try fresh()
            try bed.view().setMap(version: "3", reduce: .sum) { document, emit in emit(document["m"], 5) }
            #expect(try before.isStale())
            try expectEventually { told.last?.map(\.value) == [5] }
            before = try fresh()
            let rows = try query.with { $0.mapOnly = true }.run()
            try bed.view().setMap(version: "3", reduce: .count) { document, emit in emit(document["m"], 5) }
            #expect(try before.isStale())
            #expect(try !rows.isStale(), "Rows as they were emitted do not depend on the reduce function.")
            try expectEventually { told.last?.map(\.value) == [1] }
            before = try fresh()
            try bed.view().delete()
            #expect(try before.isStale())
            try expectEventually { told.failure == .notFound }
            try bed.view().setMap(version: "1") { document, emit in emit(document["n"], 5) }
            try expect([1])
            #expect(!told.all.contains([]) || update == .after)
            listener.remove()
        }
    }

    /// What is set in a transaction takes effect when it is committed, and not before.
    @Test(arguments: Storage.all) func whatATransactionSetsIsSeenWithIt(_ type: StorageType) throws {
        try withDatabase(type) { (bed) throws in
            let database = bed.database
            try database["a"].put(["n": 1, "m": 2])
            try bed.view().setMap(version: "1") { document, emit in emit(document["n"], 0) }
            let query = bed.view().query()
            let told = Told()
            let listener = live(query, told)
            try expectEventually { told.keys == [1] }
            for commits in [false, true] {
                try? database.inTransaction {
                    try bed.view().setMap(version: "2") { document, emit in emit(document["m"], 0) }
                    #expect(try query.keyList() == [2])
                    let committed = try otherThread { try query.with { $0.update = .never }.keyList() }
                    #expect(committed == [1], "It is not committed.")
                    if !commits { throw ApplicationError() }
                }
                #expect(try query.keyList() == (commits ? [2] : [1]))
            }
            try expectEventually { told.keys == [2] }
            #expect(told.failure == nil)
            #expect(told.all == [[1], [2]])
            listener.remove()
        }
    }

    /// A reader must not find a function that its state does not have yet, nor the reverse.
    @Test(arguments: Storage.all) func liveQueriesSurviveManyVersions(_ type: StorageType) throws {
        try withDatabase(type) { (bed) throws in
            try bed.database.put((0..<600).map { (id: "\($0)", body: [:]) })
            try bed.view().setMap(version: "0") { _, emit in emit(0, 0) }
            let failures = Locked<[String]>([])
            let last = Locked<JSONValue?>(nil)
            let listener = bed.view().query().live(interval: .zero).addListener { result in
                switch result {
                case .success(let rows): last.withLock { $0 = rows.first?.key }
                case .failure(let error): failures.withLock { $0.append("\(error)") }
                }
            }
            for version in 1...20 {
                try bed.view().setMap(version: "\(version)") { _, emit in emit(JSONValue(version), 0) }
                if version % 5 == 0 { try expectEventually { last.withLock { $0 } == JSONValue(version) } }
            }
            #expect(failures.withLock { $0 } == [])
            listener.remove()
        }
    }

    @Test(arguments: Storage.plainShared) func whatAnotherProcessSetsIsSeen(_ type: StorageType) throws {
        let folder = try TemporaryFolder()
        let path = folder.url.appending(path: "test.settee")
        let database = try Database.open(at: path, options: .init(storageType: type), engines: [Storage.factory(type)])
        try database["a"].put(["n": 1, "m": 2])
        try database.view("v").define(ViewDefinition(keys: [try JSONPointer("/n")]))
        let told = Told()
        let listener = live(database.view("v").query(), told)
        try expectEventually { told.keys == [1] }
        #expect(try Program.run("view", "define", path.path, "v", "--key", "/m").status == 0)
        try expectEventually { told.keys == [2] }
        listener.remove()
        try database.close()
    }

    /// The build of an index does not continue if only a live query that has ended wanted it.
    @Test(arguments: Storage.all, [UpdateMode.before, .after])
    func anEndedLiveQueryEndsItsBuild(_ type: StorageType, _ update: UpdateMode) async throws {
        let bed = try TestDatabase(type)
        let count = 12_000
        try bed.database.put((0..<count).map { (id: "\($0)", body: [:]) })
        let mapped = MapCounter()
        let began = Gate()
        let gate = Gate()
        try bed.view().setMap(version: "1") { document, emit in
            mapped.note(document)
            began.open()
            gate.wait()
            emit(0, 0)
        }
        let query = bed.view().query(update: update)
        let listener = live(query, Told())
        began.wait()
        listener.remove()
        gate.open()
        // Waits for the turn to update the view's index.
        try bed.database.indexRegistry.turn(IndexName(view: "view")).perform {}
        #expect(mapped.count < count, "It was built to its end.")
        #expect(try bed.view().status()?.isStale == true)
        // A query that still wants the index builds it.
        #expect(try query.with { $0.update = .before }.run().count == count)
        try bed.database.close()
    }

    @Test(arguments: Storage.all) func closingEndsALiveQueryInTheMiddleOfABuild(_ type: StorageType) async throws {
        let bed = try TestDatabase(type)
        try bed.database.put((0..<10_000).map { (id: "\($0)", body: [:]) })
        let began = Gate()
        try bed.view().setMap(version: "1") { _, emit in
            began.open()
            emit(0, 0)
        }
        let query = bed.view().query()
        let reader = Task {
            var count = 0
            for try await _ in query.live(interval: .zero) { count += 1 }
            return count
        }
        await began.opened()
        try bed.database.close()
        #expect(try await reader.value <= 1, "It ends without an error.")
    }
}
