import StorageEngineKit
import StorageProtocol
import Testing

@testable import SetteeKV

/// Keys of every length at which a chunk begins or ends.
@Suite struct LongKeyLengthTests {
    private static let lengths =
        Array(0...4) + Array(470...490) + Array(945...960) + Array(1_417...1_432) + [4_095, 65_535, 65_536]

    @Test(arguments: [0x00, 0x01, 0x02, 0x61, 0xFF] as [UInt8])
    func keysOfOneByteRepeatedAreFoundAndOrderedAtEveryLength(byte: UInt8) throws {
        let folder = try TestFolder()
        let store = try folder.open(mapSize: 1 << 28)
        defer { store.close() }
        let transaction = try store.beginWrite()
        defer { transaction.end() }
        let table = LongKeyTable(.info, in: transaction)
        let nodes = CountedNodes()
        let all = Self.lengths.map { [UInt8](repeating: byte, count: $0) }
        for key in all.reversed() { try table.put(key, [UInt8(key.count % 251)], .insert, nodes) }
        #expect(try table.keys() == all)
        #expect(try table.keys(.backward) == Array(all.reversed()))
        #expect(try table.problems(nodes) == [])

        let cursor = try table.cursor()
        defer { cursor.close() }
        for (place, key) in all.enumerated() {
            let comment: Comment = "\(key.count) bytes"
            #expect(try table.value(key) == [UInt8(key.count % 251)], comment)
            #expect(try table.put(key, [], .insert, nodes) == false, comment)
            #expect(try cursor.seek(atOrAfter: key) == true, comment)
            #expect(Array(cursor.key) == key, comment)
            #expect(try cursor.seek(before: key) == (place > 0), comment)
            if place > 0 { #expect(Array(cursor.key) == all[place - 1], comment) }
            // Between this length and the next.
            let above = key + [0]
            let next = place + 1 < all.count ? all[place + 1] : nil
            let isNext = next == above || next.map { compareBytes($0, above) >= 0 } == true
            #expect(try cursor.seek(atOrAfter: above) == isNext, comment)
            if isNext { #expect(Array(cursor.key) == next, comment) }
            #expect(try cursor.seek(before: above) == true, comment)
            #expect(Array(cursor.key) == key, comment)
        }
        for key in all {
            #expect(try table.remove(key) == true)
            #expect(try table.remove(key) == false)
            #expect(try table.value(key) == nil)
        }
        #expect(try table.storedKeys() == [])
        #expect(try table.chunks() == [])
    }

    @Test func aBoundBelowOrAboveAllOfANodeLeavesIt() throws {
        let table = LongKeyTable(.documents, in: SortedTransaction<LimitOf481>())
        let nodes = CountedNodes()
        let stem = [UInt8](repeating: 0x61, count: 480)
        let inner = stem + [UInt8](repeating: 0x61, count: 472)
        let keys = [stem, stem + [0x62], inner + [0x62], inner + [0x63], stem + [0x63], [0x62]].sorted {
            compareBytes($0, $1) < 0
        }
        for key in keys { try table.put(key, [1], .insert, nodes) }
        let bounds = [
            inner, inner + [0x61], inner + [0x64], inner + [0xFF, 0xFF], stem + [0x61], stem + [0xFF],
            stem + [UInt8](repeating: 0xFF, count: 3_000), stem + [UInt8](repeating: 0, count: 3_000),
            [UInt8](repeating: 0x60, count: 3_000), [UInt8](repeating: 0x62, count: 3_000),
        ]
        let cursor = try table.cursor()
        for bound in bounds + keys {
            let above = keys.first { compareBytes($0, bound) >= 0 }
            #expect(try cursor.seek(atOrAfter: bound) == (above != nil))
            #expect(Array(cursor.key) == above ?? [])
            let below = keys.last { compareBytes($0, bound) < 0 }
            #expect(try cursor.seek(before: bound) == (below != nil))
            #expect(Array(cursor.key) == below ?? [])
        }
    }

    @Test func tablesOfShortKeysAreAsIfTheyWereTheStores() throws {
        let transaction = SortedTransaction<LimitOf481>()
        let table = LongKeyTable(.documents, in: transaction)
        let nodes = CountedNodes()
        let keys = (0..<100).map { Array("key \(1_000 + $0)".utf8) }
        for key in keys { try table.put(key, [1], .append, nodes) }
        #expect(transaction.operations == 100)
        for key in keys { #expect(try table.value(key) == [1]) }
        #expect(transaction.operations == 200)
        let cursor = try table.cursor()
        var isThere = try cursor.seek(.first)
        while isThere { isThere = try cursor.next() }
        #expect(transaction.operations == 301)
        #expect(nodes.last == 0)
    }

    @Test func keysOverFourMegabytesAreRefusedBeforeAnythingIsWritten() throws {
        let transaction = SortedTransaction<LimitOf481>()
        let table = LongKeyTable(.info, in: transaction)
        let nodes = CountedNodes()
        let longest = [UInt8](repeating: 0x61, count: LongKeyLayout.maximumLength)
        #expect(throws: StorageError.self) { try table.put(longest + [0x61], [1], .upsert, nodes) }
        #expect(transaction.operations == 0)
        #expect(try table.put(longest, [1], .upsert, nodes) == true)
        #expect(try table.value(longest) == [1])
        #expect(try table.value(longest + [0x61]) == nil)
        #expect(try table.keys() == [longest])
        #expect(try table.remove(longest) == true)
        #expect(try table.chunks() == [])
    }

    @Test func appendingWorksWithLongKeysAndRefusesWhatIsThere() throws {
        let table = LongKeyTable(.documents, in: SortedTransaction<LimitOf481>())
        let nodes = CountedNodes()
        let stem = [UInt8](repeating: 0x61, count: 1_000)
        let keys = [[0x61], stem, stem + [1], stem + [2] + stem, stem + stem, [0x62]].sorted {
            compareBytes($0, $1) < 0
        }
        for key in keys { #expect(try table.put(key, [], .append, nodes) == true) }
        #expect(try table.keys() == keys)
        #expect(code { try table.put(stem, [], .append, nodes) } == .storage)
    }
}
