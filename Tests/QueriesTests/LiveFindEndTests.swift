import Dispatch
import Settee
import SetteeQueries
import SetteeTestSupport
import StorageProtocol
import Testing

@testable import SetteeEngine

/// How live queries end, and what becomes of their errors.
@Suite struct LiveFindEndTests {
    private func ids(_ rows: [FindRow]?) -> [String]? { rows?.map(\.documentID.string) }

    @Test(arguments: Storage.all) func aSequenceEndsWithTheDatabase(_ type: StorageType) async throws {
        let bed = try TestDatabase(type)
        try bed.database["a"].put([:])
        var results = try bed.database.find([:]).live(interval: .zero).makeAsyncIterator()
        #expect(ids(try await results.next()) == ["a"])
        try bed.database["b"].put([:])
        #expect(ids(try await results.next()) == ["a", "b"])
        let listener = try bed.database.find([:]).live().addListener { _ in }
        #expect(try listener.waitForRows()?.count == 2)
        try bed.database.close()
        #expect(try await results.next() == nil)
        #expect(try await results.next() == nil)
        #expect(listener.rows?.count == 2)
        let late = try bed.database.find([:]).live().addListener { _ in }
        #expect(try late.waitForRows() == nil)
    }

    @Test(arguments: Storage.all) func aCancelledTaskEndsTheObservation(_ type: StorageType) async throws {
        let bed = try TestDatabase(type)
        let query = try bed.database.find([:])
        let began = Gate()
        let reader = Task {
            var count = 0
            for try await _ in query.live(interval: .zero) {
                count += 1
                began.open()
            }
            return count
        }
        await began.opened()
        #expect(bed.database.changeFeed.isObserved)
        reader.cancel()
        #expect(try await reader.value == 1)
        try expectEventually { !bed.database.changeFeed.isObserved }
        // One that is left in the middle.
        for try await rows in query.live() {
            #expect(rows.isEmpty)
            break
        }
        try expectEventually { !bed.database.changeFeed.isObserved }
        try bed.manager.close()
    }

    @Test func aReleasedListenerEndsTheObservation() throws {
        try withDatabase(.memory) { (bed) throws in
            var listener: LiveFindListener? = try bed.database.find([:]).live().addListener { _ in }
            #expect(try listener?.waitForRows()?.isEmpty == true)
            #expect(bed.database.changeFeed.isObserved)
            listener = nil
            try expectEventually { !bed.database.changeFeed.isObserved }
        }
    }

    @Test func theClosureRunsOnTheGivenQueue() throws {
        try withDatabase(.memory) { (bed) throws in
            let key = DispatchSpecificKey<Int>()
            let queue = DispatchQueue(label: "test")
            queue.setSpecific(key: key, value: 7)
            let seen = Locked<Int?>(nil)
            let listener = try bed.database.find([:]).live().addListener(queue: queue) { _ in
                seen.withLock { $0 = DispatchQueue.getSpecific(key: key) }
            }
            try expectEventually { seen.withLock { $0 } == 7 }
            listener.remove()
        }
    }

    /// Indexes take no sequence.
    @Test(arguments: Storage.all) func anErrorGoesWhenTheIndexComes(_ type: StorageType) async throws {
        try await withDatabase(type) { (bed) async throws in
            let database = bed.database
            try database["a"].put(["total": 1])
            try database.put((0..<50).map { (id: "n\($0)", body: ["total": 0]) })
            var query = try database.find(["total": 1])
            query.allowsFullScan = false
            let told = ToldRows()
            let listener = query.live(interval: .zero).addListener { told.add($0) }
            try expectEventually { told.failure == .badParameter }
            #expect(listener.rows == nil)
            #expect(throws: StorageError.self) { _ = try listener.waitForRows() }
            try database.createIndex("byTotal", on: [.ascending("total")])
            try expectEventually { told.ids == [["a"]] && told.failure == nil }
            try database["b"].put(["total": 1])
            try expectEventually { told.ids.last == ["a", "b"] }
            try database.removeIndex("byTotal")
            try expectEventually { told.failure == .badParameter }
            // That of a design document, which comes and goes with it.
            try database["_design/q"].put([
                "language": "query",
                "views": [
                    "i": [
                        "map": ["fields": ["total": "asc"], "partial_filter_selector": [:]],
                        "reduce": "_count", "options": ["def": ["fields": ["total"]]],
                    ]
                ],
            ])
            try expectEventually { told.failure == nil && told.ids.last == ["a", "b"] }
            try database["_design/q"].delete()
            try expectEventually { told.failure == .badParameter }
            // A sequence throws and ends.
            var results = query.live().makeAsyncIterator()
            do {
                _ = try await results.next()
                Issue.record("Nothing was thrown.")
            } catch let error as StorageError {
                #expect(error.code == .badParameter)
            }
            #expect(try await results.next() == nil)
            listener.remove()
        }
    }

    @Test(arguments: Storage.all) func anErrorGoesWithTheDocument(_ type: StorageType) throws {
        try withDatabase(type) { (bed) throws in
            let database = bed.database
            try database["a"].put(["text": "aa"])
            let told = ToldRows()
            let query = try database.find(["text": ["$regex": "^(a+)+$"]])
            let listener = query.live(interval: .zero).addListener { told.add($0) }
            try expectEventually { told.ids == [["a"]] }
            try database["b"].put(["text": .string(String(repeating: "a", count: 5000) + "!")])
            try expectEventually { told.failure != nil }
            try database["b"].update { $0["text"] = "b" }
            try expectEventually { told.failure == nil }
            #expect(told.ids == [["a"], ["a"]])
            listener.remove()
        }
    }

    @Test func negativeNumbersAreAnError() throws {
        try withDatabase(.memory) { (bed) throws in
            var query = try bed.database.find([:])
            for (limit, skip) in [(-1, 0), (1, -1), (.min, .min)] {
                query.limit = limit
                query.skip = skip
                let listener = query.live().addListener { _ in }
                #expect(throws: StorageError.self) { _ = try listener.waitForRows() }
            }
            query.limit = .max
            query.skip = .max
            let listener = query.live().addListener { _ in }
            #expect(try listener.waitForRows()?.isEmpty == true)
        }
    }
}
