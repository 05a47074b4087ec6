import StorageConformance
import StorageProtocol
import Testing

@testable import SetteeKV

/// Damaged chains: an error, never a trap or an endless walk.
@Suite struct LongKeyDamageTests {
    private let transaction = SortedTransaction<LimitOf481>()
    private let nodes = CountedNodes()
    private let stem = [UInt8](repeating: 0x61, count: 2_000)

    private var table: LongKeyTable<SortedTransaction<LimitOf481>> { LongKeyTable(.documents, in: transaction) }

    /// Three keys that part in the fourth node.
    private func keys() -> [[UInt8]] { [stem + [1], stem + [2], stem + [3]] }

    private func fill() throws {
        for key in keys() { try table.put(key, [9], .insert, nodes) }
        #expect(transaction.tables[Table.chunks.rawValue].entries.map(\.key.count) == [481, 481, 481, 113, 113, 113])
    }

    /// Changes an entry of `chunks`.
    private func change(_ entry: Int, _ work: (inout (key: [UInt8], value: [UInt8])) -> Void) {
        work(&transaction.tables[Table.chunks.rawValue].entries[entry])
    }

    /// Every way to reach the second key is an error.
    private func expectCorrupt(_ sourceLocation: SourceLocation = #_sourceLocation) {
        let key = keys()[1]
        #expect(code { _ = try table.value(key) } == .corrupt, sourceLocation: sourceLocation)
        #expect(code { _ = try table.remove(key) } == .corrupt, sourceLocation: sourceLocation)
        #expect(code { _ = try table.put(key, [1], .upsert, nodes) } == .corrupt, sourceLocation: sourceLocation)
        #expect(code { _ = try table.cursor().seek(atOrAfter: key) } == .corrupt, sourceLocation: sourceLocation)
        #expect(code { _ = try table.cursor().seek(before: key) } == .corrupt, sourceLocation: sourceLocation)
        #expect(code { _ = try table.keys() } == .corrupt, sourceLocation: sourceLocation)
        #expect(code { _ = try table.keys(.backward) } == .corrupt, sourceLocation: sourceLocation)
        #expect((try? table.problems(nodes))?.isEmpty == false, sourceLocation: sourceLocation)
    }

    @Test func aContinuationWithoutANodeNumber() throws {
        try fill()
        change(1) { $0.value.removeLast() }
        expectCorrupt()
    }

    @Test(arguments: [0, 1, 2] as [UInt8])
    func aChainThatLeadsBack(node: UInt8) throws {
        try fill()
        change(1) { $0.value[7] = node }
        expectCorrupt()
    }

    @Test func aChainThatLeadsToNothing() throws {
        try fill()
        change(2) { $0.value[7] = 77 }
        expectCorrupt()
        #expect(try table.problems(nodes).count == 2, "a node without entries, one without a continuation")
    }

    @Test func aContinuationInTheTableItself() throws {
        try fill()
        transaction.tables[Table.documents.rawValue].entries[0].value = [0, 0, 0, 0, 0, 0, 0, 0]
        expectCorrupt()
    }

    @Test func keysOfImpossibleForm() throws {
        try fill()
        change(0) { $0.key[480] = 2 }
        #expect(code { _ = try table.keys() } == .corrupt)
        #expect(try table.problems(nodes).isEmpty == false)
        change(0) { $0.key[480] = 1 }
        #expect(try table.problems(nodes) == [])
        change(0) { $0.key += [1, 1] }
        #expect(code { _ = try table.keys() } == .corrupt)
        #expect(try table.problems(nodes).isEmpty == false)
    }

    @Test func theCheckNamesWhatIsWrong() throws {
        try fill()
        #expect(try table.problems(nodes) == [])
        transaction.tables[Table.chunks.rawValue].entries.insert(([0, 0, 0], []), at: 0)
        #expect(try table.problems(nodes).count == 1, "a key without a node")
        transaction.tables[Table.chunks.rawValue].entries.remove(at: 0)
        transaction.tables[Table.chunks.rawValue].entries.append(([0, 0, 0, 0, 0, 0, 0, 99, 1], []))
        #expect(try table.problems(nodes).count == 2, "a node that nothing leads to, beyond the counter")
        transaction.tables[Table.chunks.rawValue].entries.removeLast()
        var twin = transaction.tables[Table.documents.rawValue].entries[0]
        twin.key[0] = 0x62
        transaction.tables[Table.documents.rawValue].entries.append(twin)
        #expect(try table.problems(nodes).count == 1, "a node that two continuations lead to")
    }

    @Test func aCounterThatFellBackIsNoticed() throws {
        try fill()
        nodes.last = 1
        #expect(throws: StorageError.self) {
            try table.put([UInt8](repeating: 0x62, count: 600), [1], .insert, nodes)
        }
    }

    /// Random entries are changed, moved or lost: every call ends, with an answer or with `corrupt`.
    @Test(arguments: 1...40 as ClosedRange<UInt64>)
    func randomDamageEndsInAnAnswerOrAnError(seed: UInt64) throws {
        var maker = KeyMaker(seed: seed, longest: 2_500)
        var keys: [[UInt8]] = []
        for _ in 0..<40 {
            keys.append(maker.key())
            try table.put(keys[keys.count - 1], [1], .upsert, nodes)
        }
        for _ in 0..<1 + maker.random.below(4) { damage(&maker.random) }
        _ = try table.problems(nodes)
        for key in keys {
            let codes = [
                code { _ = try table.value(key) },
                code { _ = try walk(from: key, .forward) },
                code { _ = try walk(from: key, .backward) },
                maker.random.below(3) == 0 ? code { _ = try table.remove(key) } : nil,
                maker.random.below(3) == 0 ? code { _ = try table.put(key, [2], .upsert, nodes) } : nil,
            ]
            for code in codes.compactMap(\.self) {
                #expect(code == .corrupt || code == .storage, "seed \(seed)")
            }
        }
    }

    private func damage(_ random: inout SeededGenerator) {
        let home = random.below(3) == 0 ? Table.documents.rawValue : Table.chunks.rawValue
        guard !transaction.tables[home].entries.isEmpty else { return }
        let place = random.below(transaction.tables[home].entries.count)
        switch random.below(4) {
        case 0: transaction.tables[home].entries.remove(at: place)
        case 1: transaction.tables[home].entries[place].value = (0..<8).map { $0 < 7 ? 0 : UInt8(random.below(40)) }
        case 2: transaction.tables[home].entries[place].value = [1, 2, 3]
        default:
            let length = transaction.tables[home].entries[place].key.count
            transaction.tables[home].entries[place].key[random.below(length)] = UInt8(random.below(256))
            transaction.tables[home].entries.sort { compareBytes($0.key, $1.key) < 0 }
        }
    }

    private func walk(from key: [UInt8], _ direction: CursorDirection) throws {
        let cursor = try table.cursor()
        defer { cursor.close() }
        var steps = 0
        var isThere = try direction == .forward ? cursor.seek(atOrAfter: key) : cursor.seek(before: key)
        while isThere && steps < 1_000 {
            steps += 1
            isThere = try direction == .forward ? cursor.next() : cursor.previous()
        }
        #expect(steps < 1_000)
    }
}
