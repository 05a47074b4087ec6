internal import StorageConformance
internal import StorageEngineKit
internal import StorageProtocol

/// Makes keys that are hard for a layout: few stems, zeros, every length at which a part begins or ends.
struct LongKeyMaker {
    var random: SeededGenerator
    private let stems: [[UInt8]]
    private let lengths: [Int]
    private let edges: [Int]

    /// - Parameter longestKey: that of the map.
    init(seed: UInt64, longestKey: Int) {
        var random = SeededGenerator(seed: seed)
        // Of the map's keys, one byte belongs to the layer, one is the marker, and 8 are the node.
        let (cut, chunk) = (longestKey - 2, longestKey - 10)
        let edges = (0..<4).map { cut + $0 * chunk }
        var lengths = [0, 1, 2, 7, 8, 9, longestKey]
        for edge in edges { lengths += (edge - 2)...(edge + 3) }
        let longest = cut + 6 * chunk
        var stems: [[UInt8]] = []
        for byte in [0x00, 0x01, 0x61, 0xFF] as [UInt8] { stems.append([UInt8](repeating: byte, count: longest)) }
        for _ in 0..<2 {
            var stem: [UInt8] = []
            for _ in 0..<longest { stem.append(([0, 1, 2, 0xFE, 0xFF] as [UInt8])[random.below(5)]) }
            stems.append(stem)
        }
        (self.random, self.stems, self.lengths, self.edges) = (random, stems, lengths, edges)
    }

    mutating func key() -> [UInt8] {
        let stem = stems[random.below(stems.count)]
        var length = lengths[random.below(lengths.count)]
        if random.chance(1, in: 20) { length = random.below(stem.count) }
        var key = Array(stem.prefix(length))
        if random.chance(1, in: 3), !key.isEmpty {
            // Another byte somewhere, mostly where a part ends or begins, or the last one.
            let edge = random.chance(1, in: 3) ? key.count - 1 : edges[random.below(edges.count)] + random.below(3) - 1
            if edge < key.count { key[edge] = ([0, 1, 2, 0x62, 0xFF] as [UInt8])[random.below(5)] }
        }
        return key
    }

    /// A range with such bounds, which may be empty or upside down.
    mutating func range() -> ByteRange { ByteRange(lower: bound(), upper: bound()) }

    private mutating func bound() -> ByteRange.Bound {
        switch random.below(4) {
        case 0: .open
        case 1: .excluding(key())
        default: .including(key())
        }
    }
}

extension ByteRange {
    func contains(_ key: [UInt8]) -> Bool {
        let isAbove =
            switch lower {
            case .open: true
            case .including(let bound): compareBytes(key, bound) >= 0
            case .excluding(let bound): compareBytes(key, bound) > 0
            }
        let isBelow =
            switch upper {
            case .open: true
            case .including(let bound): compareBytes(key, bound) <= 0
            case .excluding(let bound): compareBytes(key, bound) < 0
            }
        return isAbove && isBelow
    }
}
