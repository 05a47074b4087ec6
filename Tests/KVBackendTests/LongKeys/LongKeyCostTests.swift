import Foundation
import StorageConformance
import StorageProtocol
import Testing

@testable import SetteeKV

/// What long keys cost, counted in calls of the store, and that they need no deep stack.
@Suite struct LongKeyCostTests {
    @Test func neighboursWithALongCommonPrefixShareItsChain() throws {
        let transaction = SortedTransaction<LimitOf481>()
        let table = LongKeyTable(.documents, in: transaction)
        let nodes = CountedNodes()
        let count = 200
        let stem = [UInt8](repeating: 0x61, count: 65_520)
        let keys = (0..<count).map { stem + Array("\(100_000 + $0)".utf8) }
        let depth = (65_520 - 480) / 472 + 1

        for key in keys { try table.put(key, [1], .insert, nodes) }
        #expect(transaction.operations <= count * (depth + 3), "a look-up for each chunk, and a few more")
        #expect(transaction.tables[Table.documents.rawValue].entries.count == 1)
        #expect(transaction.tables[Table.chunks.rawValue].entries.count <= depth + count)
        #expect(nodes.last <= UInt64(depth))

        transaction.operations = 0
        #expect(try table.keys() == keys)
        #expect(try table.keys(.backward).count == count)
        #expect(transaction.operations <= 2 * (count + 2 * depth + 5), "one step for each neighbour")

        transaction.operations = 0
        let cursor = try table.cursor()
        var isThere = try cursor.seek(.first)
        while isThere {
            try cursor.remove()
            isThere = try cursor.next()
        }
        #expect(transaction.operations <= 2 * count + 6 * depth, "nor more for each removal")
        #expect(transaction.tables.map(\.entries.count).max() == 0)
    }

    @Test func thousandsOfKeysWithALongCommonPrefixOnLMDB() throws {
        let folder = try TestFolder()
        let store = try folder.open(mapSize: 1 << 28)
        defer { store.close() }
        let transaction = try store.beginWrite()
        defer { transaction.end() }
        let table = LongKeyTable(.documents, in: transaction)
        let nodes = CountedNodes()
        let stem = [UInt8](repeating: 0x61, count: 65_520)
        let keys = (0..<2_000).map { stem + Array("\(100_000 + ($0 * 7_919) % 2_000)".utf8) }
        for key in keys { try table.put(key, [1], .insert, nodes) }
        #expect(try table.chunks().count == 2_000 + (65_520 - 480) / 472)
        #expect(try table.keys() == keys.sorted { compareBytes($0, $1) < 0 })
        #expect(try table.problems(nodes) == [])
        let cursor = try table.cursor()
        defer { cursor.close() }
        var isThere = try cursor.seek(.last)
        while isThere {
            try cursor.remove()
            isThere = try cursor.previous()
        }
        #expect(try table.storedKeys() == [])
        #expect(try table.chunks() == [])
    }

    /// Keys that leave the common chain one after another, each a chunk deeper.
    @Test func aCombOfKeysIsWalkedInAFewStepsForEach() throws {
        let transaction = SortedTransaction<LimitOf481>()
        let table = LongKeyTable(.documents, in: transaction)
        let nodes = CountedNodes()
        let count = 130
        let keys = (0..<count).map { [UInt8](repeating: 0x61, count: 500 + 472 * $0) + [0x62] }
        for key in keys { try table.put(key, [1], .insert, nodes) }
        transaction.operations = 0
        #expect(try table.keys() == keys.reversed())
        #expect(try table.keys(.backward) == keys)
        #expect(transaction.operations <= 2 * 4 * count)
    }

    @Test func aRangeIsRemovedAtOnceWhereNothingIsCut() throws {
        let keys = (0..<300).map { [UInt8($0 / 100)] + [UInt8](repeating: UInt8($0 % 100), count: $0 * 7 % 700) }
        let range = ByteRange(lower: .including([1]), upper: .excluding([2]))

        func remove<Limit: KeyLimit>(in transaction: SortedTransaction<Limit>) throws -> Int {
            let table = LongKeyTable(.entries, in: transaction)
            let nodes = CountedNodes()
            for key in keys { try table.put(key, [1], .upsert, nodes) }
            let count = try table.keys().count
            transaction.operations = 0
            let removal = try table.removeRange(range, until: nil)
            let operations = transaction.operations
            #expect(removal.isComplete && removal.hasRemoved)
            #expect(try table.keys() == keys.filter { $0[0] != 1 }.sorted { compareBytes($0, $1) < 0 })
            #expect(try table.keys().count < count)
            #expect(try table.problems(nodes) == [])
            #expect(try !table.removeRange(range, until: nil).hasRemoved)
            return operations
        }
        #expect(try remove(in: SortedTransaction<NoLimit>()) == 1)
        #expect(try remove(in: SortedTransaction<LimitOf481>()) > 100, "nodes go with the last of their entries")
    }

    @Test func manyKeysAreLookedUpTogetherUnlessOneIsCut() throws {
        let short = (0..<50).map { [UInt8](repeating: UInt8($0 + 1), count: 1 + $0) }
        let long = [UInt8](repeating: 0x60, count: 600)

        func find<Limit: KeyLimit>(_ keys: [[UInt8]], in transaction: SortedTransaction<Limit>) throws -> Int {
            let table = LongKeyTable(.documents, in: transaction)
            for key in keys where key.count % 2 == 0 { try table.put(key, [key[0]], .upsert, CountedNodes()) }
            transaction.operations = 0
            var found: [[UInt8]?] = []
            try table.values(of: Keys(keys: keys)) { (number, key, value) throws(StorageError) in
                #expect(Array(key) == keys[number])
                found.append(value.map { Array($0) })
                return number < keys.count - 2
            }
            #expect(found == keys.dropLast().map { $0.count % 2 == 0 ? [$0[0]] : nil }, "until the answer is false")
            return transaction.operations
        }
        #expect(try find(short, in: SortedTransaction<LimitOf481>()) == 1)
        #expect(try find(short + [long, [0x61]], in: SortedTransaction<NoLimit>()) == 1)
        #expect(try find(short + [long, [0x61]], in: SortedTransaction<LimitOf481>()) > 50)
    }

    @Test func theLongestKeysNeedNoDeepStack() throws {
        let isRight = try onSmallStack { () throws -> Bool in
            let table = LongKeyTable(.rows, in: SortedTransaction<LimitOf481>())
            let nodes = CountedNodes()
            let stem = [UInt8](repeating: 0x61, count: 2_228_000)
            let keys = (0..<4).map { stem + [UInt8($0)] }
            for key in keys { try table.put(key, [1], .insert, nodes) }
            guard try table.keys() == keys, try table.value(keys[2]) == [1], try table.remove(keys[3]) else {
                return false
            }
            let cursor = try table.cursor()
            guard try cursor.seek(atOrAfter: keys[1]), try cursor.previous(), Array(cursor.key) == keys[0] else {
                return false
            }
            for key in keys.dropLast() { _ = try table.remove(key) }
            return try table.chunks().isEmpty
        }
        #expect(isRight)
    }
}

private struct Keys: KeyList {
    let keys: [[UInt8]]

    var count: Int { keys.count }

    func withKey<R>(
        _ number: Int,
        _ body: (UnsafeRawBufferPointer) throws(StorageError) -> R
    ) throws(StorageError) -> R {
        try keys[number].withRawBytes(body)
    }
}
