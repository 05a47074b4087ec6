import StorageConformance
import StorageProtocol

@testable import SetteeKV

/// Makes keys that are hard on a store of chunks: few stems, all lengths at which a chunk begins or ends.
struct KeyMaker {
    var random: SeededGenerator
    private let stems: [[UInt8]]
    private let lengths: [Int]
    private let cut: Int

    /// - Parameter cut: The longest key that is not cut.
    init(seed: UInt64, longest: Int = 5_000, cut: Int = 480) {
        var random = SeededGenerator(seed: seed)
        var stems = [UInt8](arrayLiteral: 0x00, 0x01, 0x61, 0xFF).map { [UInt8](repeating: $0, count: longest) }
        for _ in 0..<2 { stems.append((0..<longest).map { _ in [0, 1, 2, 0xFE, 0xFF][random.below(5)] }) }
        self.stems = stems
        self.cut = cut
        let chunk = cut - 8
        var lengths = [0, 1, 2, 7, 8, 9, 20, chunk, chunk + 1, cut + 9]
        for edge in 0..<4 {
            let place = cut + edge * chunk
            lengths += (place - 2)...(place + 3)
        }
        self.lengths = lengths
        self.random = random
    }

    mutating func key() -> [UInt8] {
        let stem = stems[random.below(stems.count)]
        var length = lengths[random.below(lengths.count)]
        if random.below(20) == 0 { length = random.below(stem.count) }
        var key = Array(stem.prefix(length))
        if random.below(3) == 0, !key.isEmpty {
            // Another byte somewhere, mostly at a chunk's edge.
            let second = 2 * cut - 8
            let edges = [
                cut, cut - 1, cut + 1, second - 1, second, second + 1, key.count - 1, random.below(key.count),
            ]
            let edge = edges[random.below(edges.count)]
            if edge < key.count { key[edge] = [0, 1, 2, 0x62, 0xFF][random.below(5)] }
        }
        return key
    }
}
