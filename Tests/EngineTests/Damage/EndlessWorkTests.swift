import Settee
import SetteeTestSupport
import StorageProtocol
import Testing

@testable import SetteeEngine
@testable import SetteeViews

/// Work on stored data that made no progress, or hardly any.
@Suite struct EndlessWorkTests {
    /// Partial results of reductions were made in transactions of 20,000 rows. If all of these failed, each transaction
    /// began with the same rows.
    @Test(arguments: Storage.all) func aReductionThatFailsForManyRowsEnds(_ type: StorageType) throws {
        try withDatabase(type) { (bed) throws in
            try bed.database.put((0..<25).map { (id: "\($0)", body: ["n": JSONValue($0)]) })
            try bed.view().setMap(version: "1", reduce: .sum) { document, emit in
                let isGood = document["n"] == 24
                for row in 0..<1000 { emit([document["n"], .int(Int64(row))], isGood ? 1 : "no number") }
            }
            expectError(.badRequest) { try bed.view().query().run() }
            #expect(try bed.view().query().with { $0.mapOnly = true }.run().count == 25_000)
            #expect(try bed.view().query(startKey: [24]).run().map(\.value) == [1000])
        }
    }

    /// A first build read all sequences up to the last one, 2,048 at a time, used or not.
    @Test(arguments: Storage.all) func aFirstBuildDoesNotReadSequencesOfNoDocument(_ type: StorageType) throws {
        let bed = try TestDatabase(type)
        for number in 0..<5 { try bed.database["\(number)"].put(["n": JSONValue(number)]) }
        let transaction = try bed.engine().beginWrite()
        try transaction.purge(DocumentID("4"), sequence: 1 << 60)
        try transaction.commit()
        try bed.view().setMap(version: "1") { document, emit in emit(document["n"]) }
        #expect(try bed.view().query().keyList() == [0, 1, 2, 3])
        try bed.database["5"].put(["n": 5])
        #expect(try bed.view().query().keyList() == [0, 1, 2, 3, 5])
        #expect(try bed.database.check().map(\.description) == [])
        try bed.database.close()
    }
}
