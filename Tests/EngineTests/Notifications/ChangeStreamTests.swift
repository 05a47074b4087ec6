import Foundation
import Settee
import SetteeTestSupport
import Testing

/// Changes as an asynchronous sequence.
@Suite struct ChangeStreamTests {
    @Test(arguments: Storage.all) func itBeginsWithTheCall(_ type: StorageType) async throws {
        try await withDatabase(type) { bed in
            let database = bed.database
            try database["before"].put([:])
            let stream = database.changes()
            try database["a"].put(["n": 1])
            try database["a"].update { $0["n"] = 2 }
            let changes = await take(2, from: stream)
            #expect(changes.sequences == [2, 3])
            #expect(changes.ids == ["a", "a"])
            // A further iterator begins when it is made.
            var iterator = stream.makeAsyncIterator()
            try database["b"].put([:])
            guard case .document(let change) = await iterator.next() else {
                Issue.record("Nothing was told.")
                return
            }
            #expect(change.sequence == 4)
        }
    }

    @Test(arguments: Storage.all) func iteratorsDoNotTakeFromEachOther(_ type: StorageType) async throws {
        try await withDatabase(type) { bed in
            let database = bed.database
            let stream = database.changes()
            try await withThrowingTaskGroup(of: [UInt64].self) { group in
                let iterators = [database.changes(), database.changes(), stream]
                for stream in iterators { group.addTask { await take(500, from: stream).sequences } }
                for number in 0..<100 {
                    try await database.async.inTransaction { database in
                        for part in 0..<5 { try database["d\(number)-\(part)"].put([:]) }
                    }
                }
                for try await sequences in group { #expect(sequences == Array(1...500)) }
            }
        }
    }

    @Test(arguments: Storage.all) func cancellingEndsIt(_ type: StorageType) async throws {
        try await withDatabase(type) { bed in
            let database = bed.database
            let stream = database.changes()
            let task = Task { () -> (Int, Bool) in
                var count = 0
                for await _ in stream { count += 1 }
                return (count, Task.isCancelled)
            }
            task.cancel()
            let (count, cancelled) = await task.value
            #expect(count == 0 && cancelled)
            // Cancelled while it waits.
            let told = Told()
            let waiting = Task {
                for await change in database.changes(following: 0) { told.add(change) }
            }
            try database["a"].put([:])
            _ = await withoutBlocking { told.wait(for: 1) }
            waiting.cancel()
            await waiting.value
        }
    }

    @Test(arguments: Storage.all) func closingEndsItBehindWhatWasCommitted(_ type: StorageType) async throws {
        let bed = try TestDatabase(type)
        let database = bed.database
        let stream = database.changes()
        let document = try database["a"].changes()
        let waiting = Task { await take(1000, from: database.changes(following: 0)).count }
        for number in 0..<20 { try database["d\(number)"].put([:]) }
        try database.close()
        let changes = await take(1000, from: stream)
        #expect(changes.sequences == Array(1...20))
        #expect(await take(1, from: document).isEmpty)
        #expect(await waiting.value <= 20)
        #expect(await take(1, from: database.changes()).isEmpty)
        #expect(await take(1, from: database.changes(following: 0)).isEmpty)
        try bed.manager.close()
    }

    @Test(arguments: Storage.all) func followingGivesTheStoreAndThenGoesOn(_ type: StorageType) async throws {
        try await withDatabase(type) { bed in
            let database = bed.database
            // More than a page, with purges and documents that changed twice.
            try database.inTransaction {
                for number in 0..<1200 { try database["d\(number)"].put([:]) }
                try database["d3"].delete()
                try database["d4"].purge()
                try database["d5"].update { $0["n"] = 1 }
            }
            var iterator = database.changes(following: 2, buffer: 50).makeAsyncIterator()
            var changes: [DatabaseChange] = []
            for number in 0..<1200 {
                if number % 100 == 0 { try database["live\(number)"].put([:]) }
                if let change = await iterator.next() { changes.append(change) }
            }
            while changes.sequences.last != 1215, let change = await iterator.next() { changes.append(change) }
            #expect(changes.missed == [])
            let expected = Array(3...1215).filter { ![4, 5, 6].contains($0) }.map(UInt64.init)
            #expect(changes.sequences == expected)
            let gone = changes.documents.filter { $0.kind == .purged }
            #expect(gone.map(\.sequence) == [1202])
            #expect(gone.map(\.documentID.string) == ["d4"])
            #expect(changes.documents.first { $0.sequence == 1201 }?.isDeletion == true)
            // From the beginning again, for each iterator.
            let stream = database.changes(following: 1210)
            #expect(await take(5, from: stream).sequences == [1211, 1212, 1213, 1214, 1215])
            #expect(await take(5, from: stream).sequences == [1211, 1212, 1213, 1214, 1215])
            // After the end come later changes.
            var late = database.changes(following: 1216).makeAsyncIterator()
            try database["x"].put([:])
            try database["y"].put([:])
            guard case .document(let change) = await late.next() else {
                Issue.record("Nothing was told.")
                return
            }
            #expect(change.sequence == 1217)
        }
    }

    /// Catching up and following while others write: each document at least once, in order, without a gap.
    @Test(arguments: Storage.all) func followingWhileOthersWriteHasNoGap(_ type: StorageType) async throws {
        try await withDatabase(type) { bed in
            let database = bed.database
            let count = 2000
            let writer = Background {
                for number in 0..<count { try database["d\(number)"].put([:]) }
            }
            await withTaskGroup(of: Void.self) { group in
                for start in [UInt64(0), 10, 100] {
                    group.addTask {
                        let changes = await take(count - Int(start), from: database.changes(following: start))
                        #expect(changes.sequences == Array(start + 1...UInt64(count)))
                    }
                }
            }
            try writer.join()
        }
    }
}
