import Settee
import SetteeTestSupport
import Testing

/// The depth to which trees are pruned is a value of the database.
@Suite struct RevisionTreeDepthTests {
    @Test(arguments: Storage.all) func isKeptAndTakesEffectAtTheNextRevision(_ type: StorageType) throws {
        try withDatabase(type) { (bed) throws in
            #expect(try bed.database.maxRevTreeDepth == 20)
            for _ in 0..<10 { try bed.database["a"].update { $0["n"] = .int(($0["n"]?.intValue ?? 0) + 1) } }
            try bed.database.setMaxRevTreeDepth(3)
            #expect(try bed.database["a"].history().count == 10)
            try bed.database["a"].update { $0["n"] = 0 }
            #expect(try bed.database["a"].history().count == 3)
            // Compaction leaves trees alone.
            for _ in 0..<3 { try bed.database["b"].update { $0["n"] = .int(($0["n"]?.intValue ?? 0) + 1) } }
            try bed.database.setMaxRevTreeDepth(1)
            try bed.database.compact()
            #expect(try bed.database["b"].history().count == 3)
            try bed.reopen()
            #expect(try bed.database.maxRevTreeDepth == 1)
            try bed.database["b"].delete()
            #expect(try bed.database["b"].leafRevisions().map(\.isDeleted) == [true])
            #expect(try bed.database["b"].revision()?.history().count == 1)
            #expect(try bed.database["b"].revision()?.id.generation == 4)
        }
    }

    @Test(arguments: Storage.all) func isPartOfATransaction(_ type: StorageType) throws {
        try withDatabase(type) { (bed) throws in
            expectApplicationError(1) {
                try bed.database.inTransaction {
                    try bed.database["a"].put([:])
                    try bed.database.setMaxRevTreeDepth(2)
                    #expect(try bed.database.maxRevTreeDepth == 2)
                    for _ in 0..<5 { try bed.database["a"].update { $0["n"] = .int(($0["n"]?.intValue ?? 0) + 1) } }
                    #expect(try bed.database["a"].history().count == 2)
                    throw ApplicationError(number: 1)
                }
            }
            #expect(try bed.database.maxRevTreeDepth == 20)
            for depth in [0, -1, Int.min] { expectError(.badParameter) { try bed.database.setMaxRevTreeDepth(depth) } }
            try bed.database.setMaxRevTreeDepth(Int.max)
            #expect(try bed.database.maxRevTreeDepth == Int.max)
            try bed.database.read { _ in expectError(.callback) { try bed.database.setMaxRevTreeDepth(5) } }
        }
    }
}
