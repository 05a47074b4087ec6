import StorageEngineKit
import StorageProtocol
import Testing

@testable import SetteeKV

/// The store holds what the public layout computes.
@Suite struct LongKeyLayoutTests {
    @Test(arguments: 1...4 as ClosedRange<UInt64>)
    func storedKeysAreThoseOfTheLayout(seed: UInt64) throws {
        try check(seed, LimitOf481.self)
        try check(seed, LimitOf32.self)
        try check(seed, NoLimit.self)
    }

    private func check<Limit: KeyLimit>(_ seed: UInt64, _ limit: Limit.Type) throws {
        let layout = SortedTransaction<Limit>.keyLayout
        #expect(Limit.longestKey == nil || layout == LongKeyLayout(longestKey: Limit.longestKey ?? 0))
        var maker = KeyMaker(seed: seed, cut: min(480, layout.cut))
        for _ in 0..<200 {
            let transaction = SortedTransaction<Limit>()
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
