import Foundation
import StorageConformance
import StorageProtocol
import Testing

@testable import SetteeKV

/// What long keys cost, counted in calls of the store, and that they need no deep stack.
@Suite struct LongKeyCostTests {
    @Test func neighboursWithALongCommonPrefixShareItsChain() throws {
        let transaction = SortedTransaction()
        let table = LongKeyTable(.documents, in: transaction)
        let nodes = CountedNodes()
        let count = 200
        let stem = [UInt8](repeating: 0x61, count: 65_520)
        let keys = (0..<count).map { stem + Array("\(100_000 + $0)".utf8) }
        let depth = (65_520 - 480) / 472 + 1

        for key in keys { try table.put(key, [1], .insert, nodes) }
        #expect(transaction.operations <= count * (depth + 3), "a look-up for each chunk, and a few more")
        #expect(transaction.tables[Table.documents.rawValue].count == 1)
        #expect(transaction.tables[Table.chunks.rawValue].count <= depth + count)
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
        #expect(transaction.tables.map(\.count).max() == 0)
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
        let transaction = SortedTransaction()
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

    @Test func theLongestKeysNeedNoDeepStack() throws {
        let isRight = try onSmallStack { () throws -> Bool in
            let table = LongKeyTable(.rows, in: SortedTransaction())
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
