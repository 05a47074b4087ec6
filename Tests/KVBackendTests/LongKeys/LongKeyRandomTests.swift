import StorageConformance
import StorageEngineKit
import StorageProtocol
import Testing

@testable import SetteeKV

/// Long keys against a sorted array.
@Suite struct LongKeyRandomTests {
    @Test(arguments: 1...12 as ClosedRange<UInt64>)
    func doesWhatASortedArrayDoes(seed: UInt64) throws {
        try run(seed, in: SortedTransaction<LimitOf481>())
        try run(seed, in: SortedTransaction<LimitOf32>())
        try run(seed, in: SortedTransaction<NoLimit>())
    }

    @Test(arguments: 21...28 as ClosedRange<UInt64>)
    func doesWhatASortedArrayDoesOnLMDB(seed: UInt64) throws {
        let folder = try TestFolder()
        let store = try folder.open(mapSize: 1 << 28)
        defer { store.close() }
        let transaction = try store.beginWrite()
        defer { transaction.end() }
        try run(seed, in: transaction)
    }

    private func run<Transaction: OrderedTransaction>(_ seed: UInt64, in transaction: Transaction) throws {
        let table = LongKeyTable(.documents, in: transaction)
        let nodes = CountedNodes()
        var maker = KeyMaker(seed: seed, cut: min(480, Transaction.keyLayout.cut))
        var model = LongKeyModel()
        let known = (0..<60).map { _ in maker.key() }

        for step in 0..<1_200 {
            let place: Comment = "seed \(seed), step \(step)"
            let key = maker.random.below(4) == 0 ? maker.key() : known[maker.random.below(known.count)]
            switch maker.random.below(10) {
            case 0, 1, 2:
                let value = [UInt8](repeating: UInt8(step % 251), count: step % 9)
                try #require(try table.put(key, value, .upsert, nodes), place)
                model.set(key, value)
            case 3:
                let isNew = model.value(key) == nil
                try #require(try table.put(key, [7], .insert, nodes) == isNew, place)
                if isNew { model.set(key, [7]) }
            case 4, 5:
                let isThere = model.remove(key)
                try #require(try table.remove(key) == isThere, place)
            case 6:
                try #require(try table.value(key) == model.value(key), place)
            case 7:
                try removeByCursor(table, &model, from: key, maker.random.below(8), maker.random.below(2) == 0, place)
            case 8 where maker.random.below(4) == 0:
                try removeRange(table, &model, from: key, to: known[maker.random.below(known.count)], place)
            default:
                try walk(table, model, from: key, &maker.random, place)
            }
        }
        #expect(try table.problems(nodes) == [])
        #expect((nodes.last == 0) == (Transaction.longestKey == nil))
        #expect(try table.keys() == model.entries.map(\.key))
        let backwards = Array(model.entries.map(\.key).reversed())
        #expect(try table.keys(.backward) == backwards)
        for key in known {
            let isThere = model.remove(key)
            #expect(try table.remove(key) == isThere)
        }
        for key in try table.keys() { #expect(try table.remove(key) == true) }
        #expect(try table.storedKeys() == [], "seed \(seed): nothing is left in the store")
        #expect(try table.chunks() == [], "seed \(seed): nor in its chunks")
    }

    private func removeRange(
        _ table: LongKeyTable<some OrderedTransaction>,
        _ model: inout LongKeyModel,
        from lower: [UInt8],
        to upper: [UInt8],
        _ comment: Comment
    ) throws {
        let range = ByteRange(lower: .excluding(lower), upper: .including(upper))
        let removed = model.entries.map(\.key).filter { compareBytes($0, lower) > 0 && compareBytes($0, upper) <= 0 }
        let removal = try table.removeRange(range, until: nil)
        try #require(removal.isComplete, comment)
        try #require(removal.hasRemoved == !removed.isEmpty, comment)
        for key in removed { _ = model.remove(key) }
    }

    /// Seeks to a key and steps back and forth from there.
    private func walk(
        _ table: LongKeyTable<some OrderedTransaction>,
        _ model: LongKeyModel,
        from key: [UInt8],
        _ random: inout SeededGenerator,
        _ comment: Comment
    ) throws {
        let cursor = try table.cursor()
        defer { cursor.close() }
        let isBefore = random.below(2) == 0
        var place = model.lowerBound(key) - (isBefore ? 1 : 0)
        var isThere = try isBefore ? cursor.seek(before: key) : cursor.seek(atOrAfter: key)
        for _ in 0..<random.below(20) {
            try #require(isThere == model.entries.indices.contains(place), comment)
            guard isThere else { return }
            let isRight = Array(cursor.key) == model.entries[place].key
            try #require(isRight, comment)
            try #require(Array(cursor.value) == model.entries[place].value, comment)
            if random.below(5) < (isBefore ? 1 : 4) {
                isThere = try cursor.next()
                place += 1
            } else {
                isThere = try cursor.previous()
                place -= 1
            }
        }
    }

    /// Removes some entries from a key on, forwards or backwards, continuing after each.
    private func removeByCursor(
        _ table: LongKeyTable<some OrderedTransaction>,
        _ model: inout LongKeyModel,
        from key: [UInt8],
        _ count: Int,
        _ isForward: Bool,
        _ comment: Comment
    ) throws {
        let cursor = try table.cursor()
        defer { cursor.close() }
        var isThere = try cursor.seek(atOrAfter: key)
        var place = model.lowerBound(key)
        for _ in 0..<count where isThere {
            let isRight = Array(cursor.key) == model.entries[place].key
            try #require(isRight, comment)
            try cursor.remove()
            _ = model.remove(model.entries[place].key)
            isThere = try isForward ? cursor.next() : cursor.previous()
            if !isForward { place -= 1 }
            try #require(isThere == model.entries.indices.contains(place), comment)
        }
    }
}
