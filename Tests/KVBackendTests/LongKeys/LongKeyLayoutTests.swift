import StorageEngineKit
import StorageProtocol
import Testing

@testable import SetteeKV

/// The store holds what the public layout computes.
@Suite struct LongKeyLayoutTests {
    @Test(arguments: 1...4 as ClosedRange<UInt64>)
    func storedKeysAreThoseOfTheLayout(seed: UInt64) throws {
        let layout = LongKeyLayout(longestKey: 481)
        var maker = KeyMaker(seed: seed)
        for _ in 0..<200 {
            let transaction = SortedTransaction()
            let table = LongKeyTable(.documents, in: transaction)
            let key = maker.key()
            try table.put(key, [7], .insert, CountedNodes())

            let stored = LongKeyLayout.stored(key)
            var chunks: [[UInt8]] = []
            var rest = stored.dropFirst(layout.cut)
            while stored.count > layout.cut && !rest.isEmpty {
                chunks.append(layout.nodeKey(UInt64(chunks.count + 1), rest))
                rest = rest.dropFirst(layout.chunk)
            }
            #expect(try table.storedKeys() == [layout.rootKey(of: stored)], "seed \(seed)")
            #expect(try table.chunks() == chunks, "seed \(seed)")
        }
    }
}
