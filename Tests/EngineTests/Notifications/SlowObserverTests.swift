import Foundation
import Settee
import SetteeTestSupport
import Testing

/// Observers that are slower than writers: a bounded buffer, one element that reports the gap, and a way to catch up.
@Suite struct SlowObserverTests {
    @Test(arguments: Storage.all) func aFullBufferBecomesOneElement(_ type: StorageType) async throws {
        try await withDatabase(type) { bed in
            let database = bed.database
            let stream = database.changes(buffer: 10)
            let told = Told()
            let listener = database.addChangeListener { told.add($0) }
            for number in 0..<25 { try database["d\(number)"].put([:]) }
            // The feed has processed them once another observer has all.
            _ = await withoutBlocking { told.wait(for: 25) }
            var iterator = stream.makeAsyncIterator()
            let missed = await iterator.next()
            #expect(missed == .missed(since: 0))
            // From here on changes are reported again, in order.
            try database["after"].put([:])
            guard case .document(let change) = await iterator.next() else {
                Issue.record("No change follows.")
                return
            }
            #expect(change.sequence == 26)
            #expect(try database.changes(since: 0).rows().count == 26)
            listener.remove()
        }
    }

    @Test(arguments: Storage.all) func whatWasTakenBeforeIsNotReadAnew(_ type: StorageType) async throws {
        try await withDatabase(type) { bed in
            let database = bed.database
            var iterator = database.changes(buffer: 10).makeAsyncIterator()
            for number in 0..<5 { try database["d\(number)"].put([:]) }
            var seen: [UInt64] = []
            for _ in 0..<5 {
                if case .document(let change) = await iterator.next() { seen.append(change.sequence) }
            }
            #expect(seen == [1, 2, 3, 4, 5])
            let told = Told()
            let listener = database.addChangeListener { told.add($0) }
            for number in 5..<40 { try database["d\(number)"].put([:]) }
            _ = await withoutBlocking { told.wait(for: 35) }
            let missed = await iterator.next()
            #expect(missed == .missed(since: 5))
            listener.remove()
        }
    }

    @Test(arguments: Storage.all) func aCommitBeyondTheBufferIsMissed(_ type: StorageType) throws {
        try withDatabase(type) { (bed) throws in
            let database = bed.database
            let large = database.listen(buffer: 1000)
            try withListener(database, buffer: 10) { told in
                try database["a"].put([:])
                _ = told.wait(for: 1)
                try database.inTransaction { for number in 0..<11 { try database["d\(number)"].put([:]) } }
                _ = told.wait(for: 2)
                try database.inTransaction { for number in 0..<10 { try database["e\(number)"].put([:]) } }
                let changes = told.wait(for: 12)
                #expect(changes.missed == [1])
                #expect(changes.sequences == [1] + Array(13...22))
            }
            #expect(large.told.wait(for: 22).sequences == Array(1...22))
            // Beyond the largest buffer changes are not even collected.
            try database.inTransaction { for number in 0..<1001 { try database["f\(number)"].put([:]) } }
            #expect(large.told.wait(for: 23).missed == [22])
            large.listener.remove()
        }
    }

    /// The writer finishes while the observer is stuck.
    @Test(arguments: Storage.all) func aStuckObserverHoldsNobodyUp(_ type: StorageType) throws {
        try withDatabase(type) { (bed) throws in
            let database = bed.database
            let gate = Gate()
            let stuck = Told()
            let listener = database.addChangeListener(buffer: 100) { change in
                gate.wait()
                stuck.add(change)
            }
            try withListener(database) { told in
                for number in 0..<1000 { try database["d\(number)"].put([:]) }
                #expect(told.wait(for: 1000).sequences == Array(1...1000))
            }
            #expect(stuck.all.isEmpty)
            gate.open()
            let changes = stuck.wait(for: 2)
            #expect(changes.sequences.first == 1)
            let since = try #require(changes.missed.first)
            #expect(since >= 1 && since < 1000)
            #expect(changes.missed.count == 1)
            #expect(since == changes.sequences.last)
            listener.remove()
        }
    }

    /// An observer that always reads again from where it is told to sees every document in the end.
    @Test(arguments: Storage.all) func readingAnewMissesNothing(_ type: StorageType) async throws {
        try await withDatabase(type) { bed in
            let database = bed.database
            let count = 3000
            let writer = Background {
                for number in 0..<count { try database["d\(number)"].put([:]) }
            }
            var seen: Set<String> = []
            var position: UInt64 = 0
            var overflows = 0
            follow: while seen.count < count {
                for await change in database.changes(following: position, buffer: 20) {
                    guard case .document(let change) = change else {
                        overflows += 1
                        continue follow
                    }
                    #expect(change.sequence > position)
                    position = change.sequence
                    seen.insert(change.documentID.string)
                    if seen.count == count { break }
                    if change.sequence % 500 == 0 { await Task.yield() }
                }
            }
            try writer.join()
            #expect(seen.count == count)
            #expect(position == UInt64(count))
        }
    }
}
