import Settee
import SetteeIndexes
import SetteeTestSupport
import StorageProtocol
import Testing

@testable import SetteeQueries

/// Pages are bounded by their bytes, too, and a count can be cancelled.
@Suite struct LargeRowsTests {
    @Test(arguments: Storage.every) func pagesOfLargeDocumentsAreShort(_ type: StorageType) throws {
        try withOpenDatabase(type) { db in
            let text = JSONValue.string(String(repeating: "x", count: 700_000))
            for number in 0..<20 {
                try db.inTransaction { try db["d\(number % 10)-\(number)"].put(["n": number, "text": text]) }
            }
            try db.createIndex("n", on: [.ascending("n")])
            try db.updateIndex(named: "n")
            let byIndex = try db.find(["n": ["$gte": 0]], sort: [.ascending("n")])
            let sorted = try db.find([:], sort: [.descending("text"), .descending("n")])
            for query in [byIndex, sorted, try db.find([:])] {
                var cursor = try FindCursor(query)
                var numbers: [JSONValue?] = []
                while true {
                    let rows = try cursor.next()
                    if rows.isEmpty { break }
                    let bytes = rows.map(\.revision.json.count).reduce(0, +)
                    #expect(bytes < FindRun.mostHeld + 710_000)
                    numbers += rows.map { $0["n"] }
                }
                #expect(numbers.count == 20)
                #expect(cursor.statistics.documentsExamined >= 20)
                let expected = try query.run().map { $0["n"] }
                #expect(numbers == expected)
                #expect(try query.count() == 20)
            }
            #expect(try byIndex.run().map { $0["n"] } == (0..<20).map { JSONValue($0) })
        }
    }

    @Test(arguments: Storage.all) func aCountCanBeCancelled(_ type: StorageType) async throws {
        try await withOpenDatabase(type) { db in
            try db.inTransaction { for number in 0..<3000 { try db["d\(number)"].put(["n": number]) } }
            let query = try db.find(["n": ["$lt": 10]])
            #expect(try await query.countAsync() == 10)
            let task = Task {
                withUnsafeCurrentTask { $0?.cancel() }
                return try await query.countAsync()
            }
            await #expect(throws: CancellationError.self) { try await task.value }
            // The work itself ends, too.
            let cancellation = Cancellation()
            cancellation.cancel()
            var cursor = try FindCursor(query)
            expectError(.cancelled) { try cursor.count(cancellation) }
            try db.createIndex("n", on: [.ascending("n")])
            expectError(.cancelled) { try cursor.count(cancellation) }
        }
    }
}
