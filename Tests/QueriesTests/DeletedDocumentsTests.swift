import Settee
import SetteeEngine
import SetteeIndexes
import SetteeTestSupport
import StorageProtocol
import Testing

@testable import SetteeQueries

/// Walks over documents most of which are deleted.
@Suite struct DeletedDocumentsTests {
    private func fill(_ database: Database) throws {
        try database.inTransaction {
            for number in 0..<2500 { try database["d\(number)"].update { $0 = ["n": JSONValue(number)] } }
            for number in 0..<2500 where number % 500 != 0 { try database["d\(number)"].delete() }
            try database["a"].update { $0 = ["n": 1] }
        }
    }

    /// A walk that has found its first document is cancelled: it does not pass over thousands of deleted ones first.
    @Test(arguments: Storage.every) func aWalkOverThemIsCancelled(_ type: StorageType) throws {
        let bed = try TestDatabase(type)
        try fill(bed.database)
        for isBackward in [false, true] {
            let query = try bed.database.find([:])
            let cancellation = Cancellation()
            var found = 0
            let error = #expect(throws: StorageError.self) {
                try bed.database.withReadTransaction { (transaction) throws(StorageError) in
                    let plan = FindPlan(access: .documents(.all), order: .served, isBackward: isBackward)
                    var run = FindRun(query, plan, sortKeys: nil, in: transaction, cancellation)
                    try run.forEachMatch(behind: nil, expected: 1) { _ in
                        found += 1
                        cancellation.cancel()
                        return true
                    }
                }
            }
            #expect(error?.code == .cancelled)
            #expect(found < 6)
        }
        try bed.manager.close()
    }

    @Test(arguments: Storage.every) func theOthersAreFoundInOrder(_ type: StorageType) async throws {
        let bed = try TestDatabase(type)
        try fill(bed.database)
        let all = ["a", "d0", "d1000", "d1500", "d2000", "d500"]
        func ids(_ query: FindQuery) async throws -> [String] { try await query.runAsync().map(\.documentID.string) }
        #expect(try await ids(bed.database.find([:], sort: [.ascending("_id")])) == all)
        #expect(try await ids(bed.database.find([:], sort: [.descending("_id")])) == all.reversed())
        #expect(
            try await ids(bed.database.find([:], sort: [.ascending("_id")], limit: 2, skip: 3)) == Array(all[3..<5])
        )
        #expect(
            try await ids(bed.database.find(["_id": ["$gt": "b", "$lt": "d2"]], sort: [.ascending("_id")])).count == 3
        )
        #expect(try await bed.database.find([:]).countAsync() == 6)
        try bed.manager.close()
    }
}
