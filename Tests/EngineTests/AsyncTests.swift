import Settee
import SetteeTestSupport
import Testing

/// The asynchronous forms, and rows as an asynchronous sequence.
@Suite struct AsyncTests {
    @Test(arguments: Storage.all) func theyDoTheSameWork(_ type: StorageType) async throws {
        try await withDatabase(type) { bed in
            let database = bed.database
            let first = try await database.async.put("x", ["n": 1])
            #expect(first.id.string == expectedRevisionID(#"{"n":1}"#))
            #expect(try await database.async.update("x") { $0["n"] = 2 }?.id.generation == 2)
            #expect(try await database.async.revision(of: "x")?["n"] == 2)
            #expect(try await database.async.documentCount == 1)
            #expect(try await database.async.delete("x").isDeleted)
            #expect(try await database.async.purge("x"))
            #expect(try await database.async.lastSequence == 4)
            #expect(try await database.async.check().isEmpty)
            _ = try await database.async.compact()
            let answer = try await database.async.inTransaction { database in
                try database["a"].put([:])
                try database["b"].put([:])
                return try database.documentCount
            }
            #expect(answer == 2)
            #expect(try await database.async.read { _ in try database.allDocuments().ids() } == ["a", "b"])
        }
    }

    @Test(arguments: Storage.all) func errorsComeThrough(_ type: StorageType) async throws {
        try await withDatabase(type) { bed in
            let database = bed.database
            try await database.async.put("x", [:])
            await expectError(.conflict) { try await database.async.put("x", [:]) }
            await expectError(.badID) { try await database.async.put("_x", [:]) }
            await #expect(throws: ApplicationError(number: 4)) {
                try await database.async.inTransaction { database in
                    try database["y"].put([:])
                    throw ApplicationError(number: 4)
                }
            }
            #expect(try await database.async.documentCount == 1)
        }
    }

    @Test(arguments: Storage.all) func manyTasksLoseNothing(_ type: StorageType) async throws {
        try await withDatabase(type) { bed in
            let database = bed.database
            try await withThrowingTaskGroup(of: Void.self) { group in
                for number in 0..<200 {
                    group.addTask {
                        try await database.async.update("count") { $0["n"] = .int(($0["n"]?.intValue ?? 0) + 1) }
                        try await database.async.put("d\(number)", [:])
                        _ = try await database.async.revision(of: "count")
                    }
                }
                try await group.waitForAll()
            }
            #expect(try database["count"]["n"] == 200)
            #expect(try database.documentCount == 201)
        }
    }

    @Test(arguments: Storage.all) func aStreamGivesTheRowsOfTheListing(_ type: StorageType) async throws {
        try await withDatabase(type) { bed in
            let database = bed.database
            try database.inTransaction {
                for number in 0..<700 { try database["d\(number)"].put(["n": .int(Int64(number))]) }
            }
            let queries: [DocumentQuery] = [
                .init(), .init(descending: true), .init(limit: 300, skip: 300), .init(limit: 0), .init(startKey: "e"),
                .init(keys: ["d1", "d699"], includeBodies: true),
            ]
            for query in queries {
                var streamed: [String] = []
                for try await row in database.allDocuments(query).stream() { streamed.append(row.documentID.string) }
                #expect(try streamed == database.allDocuments(query).ids())
            }
            var sequences: [UInt64] = []
            for try await row in database.changes(since: 100).stream() { sequences.append(row.sequence) }
            #expect(sequences == Array(101...700))
            var iterator = database.allDocuments(.init(limit: 1)).stream().makeAsyncIterator()
            #expect(try await iterator.next() != nil)
            for _ in 1...3 { #expect(try await iterator.next() == nil) }
            await expectError(.badParameter) {
                for try await _ in database.allDocuments(.init(limit: -1)).stream() {}
            }
        }
    }

    @Test(arguments: Storage.all) func aStreamMayBeWrittenTo(_ type: StorageType) async throws {
        try await withDatabase(type) { bed in
            let database = bed.database
            try database.inTransaction { for number in 0..<600 { try database["d\(number)"].put([:]) } }
            for try await row in database.allDocuments().stream() {
                try await database.async.delete(row.documentID.string)
            }
            #expect(try database.documentCount == 0)
        }
    }

    @Test(arguments: Storage.all) func cancellationEndsAStream(_ type: StorageType) async throws {
        try await withDatabase(type) { bed in
            let database = bed.database
            try database.inTransaction { for number in 0..<1000 { try database["d\(number)"].put([:]) } }
            let task = Task {
                var count = 0
                for try await _ in database.allDocuments().stream() {
                    count += 1
                    if count == 10 { unsafe withUnsafeCurrentTask { unsafe $0?.cancel() } }
                }
                return count
            }
            await #expect(throws: CancellationError.self) { try await task.value }
        }
    }
}
