internal import Foundation
internal import StorageConformance
internal import StorageEngineKit
internal import StorageProtocol
internal import Testing

/// Damaged chains: 591, never a trap or an endless listing.
@Suite
struct ShortKeyDamageTests {
    private let tx: LimitedWriteTransaction
    private let stem = [UInt8](repeating: 0x61, count: 200)

    init() throws { tx = try LimitedWriteTransaction.ofNewStore(longestKey: 64) }

    private func code<R>(_ body: () throws(StorageError) -> R) -> StorageError.Code? {
        do throws(StorageError) {
            _ = try body()
            return nil
        } catch {
            return error.code
        }
    }

    /// Three keys that part in the third node: a continuation (entry 1, after the counter), two more and three ends.
    private func keys() -> [[UInt8]] { [stem + [1], stem + [2], stem + [3]] }

    private func fill() throws {
        for key in keys() { try tx.setValue([9], of: key) }
        #expect(tx.map.entries.map { Character(UnicodeScalar($0.key[0])) } == ["c", "k", "n", "n", "n", "n", "n"])
        #expect(tx.map.entries.map(\.key.count) == [1, 64, 64, 64, 40, 40, 40])
        #expect(try tx.chainProblems() == [])
    }

    private func problems() throws -> [StorageProblem] {
        var problems: [StorageProblem] = []
        try tx.check { problems.append($0) }
        return problems
    }

    /// Every way to reach the second key is an error.
    private func expectCorrupt(_ sourceLocation: SourceLocation = #_sourceLocation) throws {
        let key = keys()[1]
        #expect(code { () throws(StorageError) in try tx.value(key) } == .corrupt, sourceLocation: sourceLocation)
        #expect(code { () throws(StorageError) in try tx.keys() } == .corrupt, sourceLocation: sourceLocation)
        for descending in [false, true] {
            let from = descending ? ByteRange(upper: .including(key)) : ByteRange(lower: .including(key))
            #expect(
                code { () throws(StorageError) in try tx.keys(in: from, descending: descending) } == .corrupt,
                sourceLocation: sourceLocation
            )
        }
        let problems = try problems()
        #expect(problems.contains { $0.area == "long keys" }, sourceLocation: sourceLocation)
        let before = tx.map.entries
        #expect(
            code { () throws(StorageError) in try tx.setValue([1], of: key) } == .corrupt,
            sourceLocation: sourceLocation
        )
        #expect(
            code { () throws(StorageError) in try tx.setValue(nil, of: key) } == .corrupt,
            sourceLocation: sourceLocation
        )
        #expect(tx.map.entries == before, sourceLocation: sourceLocation)
    }

    @Test(
        arguments: [[], [0, 0, 0, 0, 0, 0, 2], [0, 0, 0, 0, 0, 0, 0, 0, 2], [UInt8](repeating: 2, count: 5_000)]
            as [[UInt8]]
    )
    func aContinuationWithoutANodeNumber(value: [UInt8]) throws {
        try fill()
        tx.map.entries[2].value = value
        try expectCorrupt()
    }

    @Test(arguments: [0, 1] as [UInt8])
    func aChainThatLeadsBack(node: UInt8) throws {
        try fill()
        tx.map.entries[2].value[7] = node
        try expectCorrupt()
    }

    @Test(arguments: [0, 77, 255] as [UInt8])
    func aChainThatLeadsToNothing(byte: UInt8) throws {
        try fill()
        tx.map.entries[3].value = [UInt8](repeating: byte, count: 8)
        try expectCorrupt()
    }

    @Test
    func aContinuationOfTheRootThatLeadsNowhere() throws {
        try fill()
        tx.map.entries[1].value = [UInt8](repeating: 0, count: 8)
        try expectCorrupt()
    }

    @Test(arguments: [1, 2, 3])
    func keysOfImpossibleForm(entry: Int) throws {
        try fill()
        tx.map.entries[entry].key[63] = 2
        #expect(code { () throws(StorageError) in try tx.keys() } == .corrupt)
        #expect(try problems().isEmpty == false)
        tx.map.entries[entry].key = Array(tx.map.entries[entry].key.prefix(1))
        #expect(code { () throws(StorageError) in try tx.chainProblems() } == .corrupt)
    }

    @Test
    func aCounterThatFellBack() throws {
        try fill()
        let other = [UInt8](repeating: 0x62, count: 300)
        for next in [0, 1, 2, 3, UInt64(Int64.max), .max] {
            tx.map.entries[0].value = ByteCoding.bytes(next)
            let before = tx.map.entries
            #expect(code { () throws(StorageError) in try tx.setValue([1], of: other) } == .corrupt, "\(next)")
            #expect(tx.map.entries == before)
            #expect(try tx.keys() == keys(), "what is there is read")
        }
        tx.map.entries[0].value = ByteCoding.bytes(3)
        #expect(try problems().contains { $0.message.hasSuffix("node 3 was never given out") })
        tx.map.entries[0].value = [1]
        #expect(try problems().contains { $0.message.hasSuffix("the counter of nodes is damaged") })
        #expect(code { () throws(StorageError) in try tx.setValue([1], of: other) } == .corrupt)
    }

    @Test
    func theCheckNamesWhatIsWrong() throws {
        try fill()
        tx.map.entries.insert(.init(key: Array("n".utf8) + [0, 0, 0], value: []), at: 2)
        #expect(try tx.chainProblems().count == 1, "a key without a node")
        tx.map.entries.remove(at: 2)
        tx.map.entries.append(.init(key: Array("n".utf8) + ByteCoding.bytes(99) + [1], value: []))
        #expect(try tx.chainProblems().count == 2, "a node that nothing leads to, beyond the counter")
        tx.map.entries.removeLast()
        var twin = tx.map.entries[1]
        twin.key[1] = 0x62
        tx.map.entries.insert(twin, at: 2)
        #expect(try tx.chainProblems().count == 1, "a node that two continuations lead to")
        #expect(code { () throws(StorageError) in try tx.keys() } == .corrupt)
    }

    /// In each node two ways lead to the next one: there are 2^100 ways to the last of 100 nodes.
    @Test(.timeLimit(.minutes(1)))
    func waysThatMeetAgainEnd() throws {
        let chunk = [UInt8](repeating: 0x61, count: 54)
        tx.map.entries = [.init(key: Array("c".utf8), value: ByteCoding.bytes(101))]
        tx.map.entries.append(
            .init(key: Array("k".utf8) + [UInt8](repeating: 0x61, count: 62) + [1], value: ByteCoding.bytes(1))
        )
        for node in 1..<100 as Range<UInt64> {
            for last in [1, 2] as [UInt8] {
                let key = Array("n".utf8) + ByteCoding.bytes(node) + chunk.dropLast() + [last, 1]
                tx.map.entries.append(.init(key: key, value: ByteCoding.bytes(node + 1)))
            }
        }
        tx.map.entries.append(.init(key: Array("n".utf8) + ByteCoding.bytes(100) + [1], value: []))
        for descending in [false, true] {
            #expect(code { () throws(StorageError) in try tx.keys(descending: descending) } == .corrupt)
        }
        #expect(try problems().count == 99)
    }

    /// Random entries are changed, moved or lost: every call ends, with an answer or with `corrupt`.
    @Test(.timeLimit(.minutes(1)), arguments: Array(UInt64(1)...(ShortKeyRandomTests.isStress ? 2_000 : 60)))
    func randomDamageEndsInAnAnswerOrAnError(seed: UInt64) throws {
        var maker = LongKeyMaker(seed: seed, longestKey: 64)
        let keys = (0..<40).map { _ in maker.key() }
        for key in keys { try tx.setValue([1], of: key) }
        for _ in 0..<1 + maker.random.below(4) { damage(&maker.random) }
        var codes = [code { () throws(StorageError) in try tx.check { _ in } }]
        for key in keys {
            codes += [
                code { () throws(StorageError) in try tx.value(key) },
                code { () throws(StorageError) in try tx.keys(in: ByteRange(lower: .including(key))) },
                code { () throws(StorageError) in try tx.keys(in: ByteRange(upper: .excluding(key)), descending: true)
                },
            ]
            if maker.random.chance(1, in: 3) {
                codes.append(code { () throws(StorageError) in try tx.setValue(nil, of: key) })
            }
            if maker.random.chance(1, in: 3) {
                codes.append(code { () throws(StorageError) in try tx.setValue([2], of: key) })
            }
        }
        for code in codes.compactMap(\.self) { #expect(code == .corrupt, "seed \(seed)") }
    }

    private func damage(_ random: inout SeededGenerator) {
        guard !tx.map.entries.isEmpty else { return }
        let place = random.below(tx.map.entries.count)
        switch random.below(4) {
        case 0: tx.map.entries.remove(at: place)
        case 1: tx.map.entries[place].value = ByteCoding.bytes(UInt64(random.below(40)))
        case 2: tx.map.entries[place].value = [1, 2, 3]
        default:
            let length = tx.map.entries[place].key.count
            tx.map.entries[place].key[random.below(length)] = UInt8(random.below(256))
            tx.map.entries.sort { compareBytes($0.key, $1.key) < 0 }
        }
    }
}
