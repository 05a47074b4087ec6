internal import Foundation
internal import StorageConformance
internal import StorageEngineKit
internal import StorageProtocol
internal import Testing

/// Keys of any length against a sorted dictionary.
@Suite
struct ShortKeyRandomTests {
    static let isStress = ProcessInfo.processInfo.environment["SETTEE_STRESS"] != nil

    @Test(arguments: [17, 64, 481, 2_700], Array(UInt64(1)...(isStress ? 60 : 4)))
    func doesWhatADictionaryDoes(longestKey: Int, seed: UInt64) throws {
        let tx = try LimitedWriteTransaction.ofNewStore(longestKey: longestKey)
        var maker = LongKeyMaker(seed: seed, longestKey: longestKey)
        var model: [[UInt8]: [UInt8]] = [:]
        let known = (0..<60).map { _ in maker.key() }
        func sorted(_ range: ByteRange) -> [[UInt8]] {
            model.keys.filter(range.contains).sorted { compareBytes($0, $1) < 0 }
        }
        for step in 0..<600 {
            let place: Comment = "seed \(seed), step \(step)"
            let key = maker.random.chance(1, in: 4) ? maker.key() : known[maker.random.below(known.count)]
            switch maker.random.below(8) {
            case 0, 1, 2:
                // Some values look like those of continuations.
                let value = [UInt8](repeating: UInt8(step % 5), count: step % 9)
                try tx.setValue(value, of: key)
                model[key] = value
            case 3, 4:
                try tx.setValue(nil, of: key)
                model[key] = nil
            case 5:
                try #require(try tx.value(key) == model[key], place)
            default:
                let (range, descending) = (maker.range(), maker.random.chance(1, in: 2))
                let limit = maker.random.chance(1, in: 3) ? maker.random.below(6) : Int.max
                var expected = sorted(range)
                if descending { expected.reverse() }
                var found: [[UInt8]] = []
                try tx.values(in: range, descending: descending) { (key, value) throws(StorageError) in
                    #expect(value == model[key], place)
                    found.append(key)
                    return found.count <= limit
                }
                try #require(found == Array(expected.prefix(limit == .max ? .max : limit + 1)), place)
            }
        }
        #expect(try tx.chainProblems() == [], "seed \(seed)")
        #expect(try tx.keys() == sorted(.all), "seed \(seed)")
        for key in try tx.keys() { try tx.setValue(nil, of: key) }
        #expect(tx.map.entries.map(\.key) == [Array("c".utf8)], "seed \(seed): nothing is left but the counter")
    }
}
