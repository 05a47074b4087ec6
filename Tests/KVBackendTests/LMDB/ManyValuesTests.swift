import StorageConformance
import StorageProtocol
import Testing

@testable import SetteeKV

/// Many keys that are looked up together, in snapshots and in the write transaction.
@Suite struct ManyValuesTests {
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

    @Test(arguments: 1...6 as ClosedRange<UInt64>)
    func theyAreFoundAsOneByOne(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let folder = try TestFolder()
        let store = try folder.open(mapSize: 1 << 28)
        defer { store.close() }
        // From an empty tree to one of three levels, with pages of many and of few entries, and overflow pages.
        let count = [0, 1, 40, 400, 3_000, 3_000][Int(seed) - 1]
        var stored: [[UInt8]: [UInt8]] = [:]
        for _ in 0..<count {
            let length = random.below(50) == 0 ? 5_000 : random.below(200)
            stored[key(&random)] = [UInt8](repeating: UInt8(random.below(256)), count: length)
        }
        try store.write { (transaction) throws(StorageError) in
            for (key, value) in stored {
                try key.withRawBytes { (key) throws(StorageError) in
                    _ = try transaction.put(key, in: .documents, length: value.count, mode: .upsert) {
                        $0.copyBytes(from: value)
                    }
                }
            }
        }
        let snapshot = try store.beginRead()
        defer { snapshot.end() }
        let writer = try store.beginWrite()
        defer { writer.end() }
        let there = stored.keys.sorted { compareBytes($0, $1) < 0 }
        for round in 0..<30 {
            var keys = (0..<random.below(60)).map { _ in key(&random) }
            // Some that are there, also twice, or all from some place on.
            if !there.isEmpty {
                for _ in 0..<random.below(60) { keys.append(there[random.below(there.count)]) }
                if round % 5 == 0 { keys += there[random.below(there.count)...] }
            }
            keys.sort { compareBytes($0, $1) < 0 }
            for transaction in [snapshot, writer] {
                var found: [[UInt8]?] = []
                try transaction.values(of: Keys(keys: keys), in: .documents) {
                    (number, key, value) throws(StorageError) in
                    #expect(Array(key) == keys[number])
                    found.append(value.map { Array($0) })
                    return true
                }
                #expect(found == keys.map { stored[$0] }, "seed \(seed), round \(round)")
            }
        }
    }

    private func key(_ random: inout SeededGenerator) -> [UInt8] {
        (0...random.below(5)).map { _ in UInt8(random.below(12)) }
    }

    @Test func theAnswerEndsThemAndTheEndOfTheTransactionIsNoticed() throws {
        let folder = try TestFolder()
        let store = try folder.open(mapSize: 1 << 28)
        defer { store.close() }
        let keys = Keys(keys: [[1], [2], [3]])
        let snapshot = try store.beginRead()
        var calls = 0
        try snapshot.values(of: keys, in: .documents) { (number, _, _) throws(StorageError) in
            calls += 1
            return number < 1
        }
        #expect(calls == 2)
        let code = code {
            try snapshot.values(of: keys, in: .documents) { (_, _, _) throws(StorageError) in
                snapshot.end()
                return true
            }
        }
        #expect(code == .notOpen)
    }
}
