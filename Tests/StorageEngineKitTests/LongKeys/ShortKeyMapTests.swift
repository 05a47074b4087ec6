internal import StorageEngineKit
internal import StorageProtocol
internal import Testing

/// Keys of any length over a map with a short maximum key length.
@Suite
struct ShortKeyMapTests {
    private func code<R>(_ body: () throws(StorageError) -> R) -> StorageError.Code? {
        do throws(StorageError) {
            _ = try body()
            return nil
        } catch {
            return error.code
        }
    }

    @Test("keys of one byte repeated are found and ordered at every length", arguments: [17, 64, 481, 2_700])
    func keepsEveryLength(longestKey: Int) throws {
        let (cut, chunk) = (longestKey - 2, longestKey - 10)
        var lengths: Set<Int> = [0, 1, 2, 3, 20]
        for part in 0..<4 { lengths.formUnion(cut + part * chunk - 3...cut + part * chunk + 3) }
        for byte in [0x00, 0x01, 0x02, 0x61, 0xFF] as [UInt8] {
            let tx = try LimitedWriteTransaction.ofNewStore(longestKey: longestKey)
            let all = lengths.sorted().map { [UInt8](repeating: byte, count: $0) }
            for key in all.reversed() { try tx.setValue([UInt8(key.count % 251)], of: key) }
            #expect(try tx.keys() == all)
            #expect(try tx.keys(descending: true) == Array(all.reversed()))
            #expect(try tx.chainProblems() == [])
            for (place, key) in all.enumerated() {
                let comment: Comment = "\(key.count) bytes"
                #expect(try tx.value(key) == [UInt8(key.count % 251)], comment)
                #expect(try tx.keys(in: ByteRange(lower: .including(key))) == Array(all[place...]), comment)
                #expect(try tx.keys(in: ByteRange(lower: .excluding(key))) == Array(all[(place + 1)...]), comment)
                #expect(try tx.keys(in: ByteRange(upper: .including(key))) == Array(all[...place]), comment)
                #expect(try tx.keys(in: ByteRange(upper: .excluding(key))) == Array(all[..<place]), comment)
            }
            for key in all {
                try tx.setValue(nil, of: key)
                #expect(try tx.value(key) == nil)
            }
            #expect(tx.map.entries.map(\.key) == [Array("c".utf8)], "nothing is left but the counter of nodes")
        }
    }

    @Test("keys of 1 MiB that differ in the last byte only are three keys, in order", arguments: [64, 2_700])
    func tellsTheLastByte(longestKey: Int) throws {
        let tx = try LimitedWriteTransaction.ofNewStore(longestKey: longestKey)
        let stem = [UInt8](repeating: 0x61, count: 1 << 20)
        let keys = [1, 2, 3].map { stem + [$0] }
        for key in keys.reversed() { try tx.setValue([key[1 << 20]], of: key) }
        #expect(try tx.keys() == keys)
        #expect(try tx.keys(descending: true) == Array(keys.reversed()))
        let range = ByteRange(lower: .excluding(keys[0]), upper: .including(keys[1]))
        #expect(try tx.keys(in: range) == [keys[1]])
        #expect(try tx.value(keys[2]) == [3])
        #expect(try tx.value(stem) == nil)
        #expect(try tx.value(stem + [4]) == nil)
        #expect(try tx.chainProblems() == [])
        for key in keys { try tx.setValue(nil, of: key) }
        #expect(tx.map.entries.count == 1)
    }

    @Test("keys over 4 MiB are refused (413) before anything is written, and are not there")
    func refusesWhatIsTooLong() throws {
        let tx = try LimitedWriteTransaction.ofNewStore(longestKey: 2_700)
        let longest = [UInt8](repeating: 0x61, count: LongKeyLayout.maximumLength)
        let longer = longest + [0x61]
        #expect(code { () throws(StorageError) in try tx.setValue([1], of: longer) } == .tooLarge)
        #expect(tx.map.entries.isEmpty)
        try tx.setValue([1], of: longest)
        #expect(try tx.value(longest) == [1])
        #expect(try tx.value(longer) == nil)
        #expect(try tx.keys(in: ByteRange(lower: .excluding(longest), upper: .including(longer))) == [])
        #expect(try tx.keys(in: ByteRange(upper: .excluding(longer))) == [longest])
        try tx.setValue(nil, of: longer)
        #expect(try tx.keys() == [longest])
        #expect(try tx.chainProblems() == [])
    }

    @Test("a value that the map refuses leaves nothing of its long key")
    func leavesNothingOfARefusedValue() throws {
        let tx = try LimitedWriteTransaction.ofNewStore(longestKey: 64)
        let key = [UInt8](repeating: 0x61, count: 500)
        try tx.setValue([1], of: Array(key.prefix(300)))
        let before = tx.map.entries
        tx.map.longestValue = 100
        #expect(
            code { () throws(StorageError) in try tx.setValue([UInt8](repeating: 0, count: 101), of: key) }
                == .tooLarge
        )
        #expect(tx.map.entries == before)
    }

    @Test("removing long keys that are not there writes nothing")
    func removesNothing() throws {
        let tx = try LimitedWriteTransaction.ofNewStore(longestKey: 64)
        let key = [UInt8](repeating: 0x61, count: 500)
        try tx.setValue([1], of: key)
        let before = tx.map.entries
        for other in [Array(key.prefix(200)), key + [0], key + key, [0x62] + key, Array(key.dropLast()) + [0x62]] {
            try tx.setValue(nil, of: other)
        }
        #expect(tx.map.entries == before)
    }

    @Test("short keys cost one call of the map each, and a listing of them one in total")
    func costsNothingForShortKeys() throws {
        let tx = try LimitedWriteTransaction.ofNewStore(longestKey: 64)
        for number in 0..<100 as Range<UInt8> { try tx.setValue([number], of: [0x61, number]) }
        #expect(tx.calls == 100)
        for number in 0..<100 as Range<UInt8> { #expect(try tx.value([0x61, number]) == [number]) }
        #expect(tx.calls == 200)
        #expect(try tx.keys().count == 100)
        #expect(tx.calls == 201)
        #expect(tx.map.entries.count == 100)
    }

    @Test("keys with a long common prefix share its chain, and a listing asks for it once")
    func sharesChains() throws {
        let tx = try LimitedWriteTransaction.ofNewStore(longestKey: 64)
        let stem = [UInt8](repeating: 0x61, count: 5_000)
        let depth = (5_000 - 62) / 54 + 1
        let keys = (0..<200 as Range<UInt8>).map { stem + [$0] }
        for key in keys { try tx.setValue([1], of: key) }
        #expect(tx.map.entries.count <= depth + 202)
        tx.calls = 0
        #expect(try tx.keys() == keys)
        #expect(tx.calls <= 2 * depth + 2)
    }

    @Test("a closure that reads a listing with long keys can read through the transaction, and can end it at any time")
    func listsInsideAListing() throws {
        let tx = try LimitedWriteTransaction.ofNewStore(longestKey: 64)
        let keys = (0..<20 as Range<UInt8>).map { [UInt8](repeating: 0x61, count: 200) + [$0] }
        for key in keys { try tx.setValue(key, of: key) }
        var found: [[UInt8]] = []
        try tx.values(in: .all, descending: true) { (key, _) throws(StorageError) in
            #expect(try tx.value(key) == key)
            #expect(try tx.keys(in: ByteRange(lower: .including(key))).first == key)
            found.append(key)
            return found.count < 5
        }
        #expect(found == Array(keys.reversed().prefix(5)))
        let stop = code { () throws(StorageError) in
            try tx.values(in: .all, descending: false) { (_, _) throws(StorageError) in
                throw StorageError(.conflict, "stop")
            }
        }
        #expect(stop == .conflict)
    }

    @Test("rows and entries whose keys would be too long are refused (413), and nothing of their call is written")
    func refusesRowsThatAreTooLong() throws {
        let tx = try LimitedWriteTransaction.ofNewStore(longestKey: 2_700)
        // A name that leaves little room after it.
        let name = String(repeating: "n", count: LongKeyLayout.maximumLength - 2_000)
        try tx.setIndexState(name, IndexState(version: "1", collationVersion: "c"))
        let before = tx.map.entries
        let (short, long, json) = ([1] as [UInt8], [UInt8](repeating: 1, count: 2_500), Array("1".utf8))
        var batch = IndexBatch()
        var entries = IndexEntries()
        for (id, key) in [("a", short), ("b", long)] {
            unsafe batch.begin(Array(id.utf8).span.bytes, sequence: 1)
            unsafe batch.add(key: key.span.bytes, keyJSON: json.span.bytes, valueJSON: nil)
            unsafe entries.append(key: key.span.bytes, value: json.span.bytes)
        }
        var changes = RowChanges(recordsPositions: false)
        #expect(
            code { () throws(StorageError) in
                try tx.replaceIndexRows(name, by: [batch], areNew: true, changes: &changes)
            } == .tooLarge
        )
        #expect(code { () throws(StorageError) in try tx.putIndexEntries(name, entries) } == .tooLarge)
        #expect(
            code { () throws(StorageError) in try tx.setInfo([1], for: name + String(repeating: "n", count: 2_000)) }
                == .tooLarge
        )
        #expect(tx.map.entries == before)
    }
}
