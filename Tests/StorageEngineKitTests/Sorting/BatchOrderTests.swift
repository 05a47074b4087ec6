import StorageConformance
import Testing

@testable import StorageEngineKit
@testable import StorageProtocol

/// The orders that engines write rows and documents in.
@Suite struct BatchOrderTests {
    private struct Place: Equatable, Comparable {
        var key: [UInt8]
        var id: [UInt8]
        var emit: Int

        static func < (a: Place, b: Place) -> Bool {
            let byKey = compareBytes(a.key, b.key)
            if byKey != 0 { return byKey < 0 }
            let byID = compareBytes(a.id, b.id)
            return byID != 0 ? byID < 0 : a.emit < b.emit
        }
    }

    /// How keys are made: few or many of them, with a long common prefix or none.
    enum Keys: CaseIterable {
        case random, numbers, oneForAll, few, prefixesOfEachOther, alikeForLong, withZeros

        func key(_ random: inout SeededGenerator) -> [UInt8] {
            func below(_ limit: Int) -> Int { Int.random(in: 0..<limit, using: &random) }
            switch self {
            case .random: return (0..<below(20)).map { _ in UInt8(below(256)) }
            case .numbers: return [5] + withUnsafeBytes(of: Double(below(1_000_000)).bitPattern.bigEndian) { Array($0) }
            case .oneForAll: return [1, 2, 3]
            case .few: return [[], [7], Array("a city".utf8), Array("a city with a long name".utf8)][below(4)]
            case .prefixesOfEachOther: return [UInt8](repeating: 0x61, count: below(300))
            case .alikeForLong: return [UInt8](repeating: 0x61, count: 100) + [UInt8(below(3)), UInt8(below(256))]
            case .withZeros: return (0..<below(20)).map { _ in [0, 0, 0, 1][below(4)] }
            }
        }
    }

    private let nothing: [UInt8] = []

    @Test(arguments: Keys.allCases, [0, 1, 2, 15, 40, 600, 3_000])
    func rowsAndDocumentsComeInOrder(keys: Keys, count: Int) {
        for seed in 1...3 as ClosedRange<UInt64> {
            var random = SeededGenerator(seed: seed)
            var batches = [IndexBatch(), IndexBatch(), IndexBatch()]
            var places: [Place] = []
            var ids: [[UInt8]] = []
            for number in (0..<count).shuffled(using: &random) {
                let id = Array((seed == 1 ? "person-\(number)" : "\(number)").utf8)
                let batch = Int.random(in: 0..<3, using: &random)
                batches[batch].begin(id.span.bytes, sequence: 1)
                ids.append(id)
                for emit in 0..<Int.random(in: 0..<4, using: &random) {
                    let key = keys.key(&random)
                    batches[batch].add(key: key.span.bytes, keyJSON: nothing.span.bytes, valueJSON: nil)
                    places.append(Place(key: key, id: id, emit: emit))
                }
            }
            let (rows, documents) = batches.pinned { batches in
                let rows = batches.rowsInOrder()
                let documents = batches.documentsInOrder()
                return (
                    (0..<rows.count).map { place in
                        let row = batches.row(rows[place])
                        return Place(key: Array(row.key), id: Array(row.id), emit: Int(row.emit))
                    },
                    (0..<documents.count).map { Array(batches.document(documents[$0]).id) }
                )
            }
            #expect(rows == places.sorted(), "\(keys), \(count), seed \(seed)")
            #expect(documents == ids.sorted { compareBytes($0, $1) < 0 }, "\(keys), \(count), seed \(seed)")
        }
    }

    /// Each key is longer than the one before by more than a part: as many levels as there are keys.
    @Test func manyLevelsNeedNoDeepStack() throws {
        var batch = IndexBatch()
        let count = 2_000
        batch.begin(Array("d".utf8).span.bytes, sequence: 1)
        for number in 0..<count {
            let key = [UInt8](repeating: 0x61, count: 8 * ((number * 7) % count))
            batch.add(key: key.span.bytes, keyJSON: nothing.span.bytes, valueJSON: nil)
        }
        let batches = [batch]
        let lengths = try onSmallStack {
            batches.pinned { batches in
                let rows = batches.rowsInOrder()
                return (0..<rows.count).map { batches.row(rows[$0]).key.count }
            }
        }
        #expect(lengths == (0..<count).map { 8 * $0 })
    }
}
