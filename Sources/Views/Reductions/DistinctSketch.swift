internal import SetteeEngine
internal import SetteeSystemLibrary
internal import StorageProtocol

/// Estimates how many different byte strings were added (HyperLogLog), with a standard error of 2.3 per cent. Two
/// sketches can be merged, in any order.
struct DistinctSketch: Sendable, Equatable {
    private static let indexBits = 11
    private static let count = 1 << indexBits
    /// The highest rank: that of a hash whose other bits are all zero.
    private static let greatest = 64 - indexBits + 1

    /// For each register the highest rank of the hashes that belong to it.
    private var registers = [UInt8](repeating: 0, count: count)

    init() {}

    mutating func add(_ bytes: RawSpan) {
        let hash = ByteHash.of(bytes, seed: 0x5EED)
        let index = Int(hash >> UInt64(64 - DistinctSketch.indexBits))
        let rank = min((hash << UInt64(DistinctSketch.indexBits)).leadingZeroBitCount + 1, DistinctSketch.greatest)
        registers[index] = max(registers[index], UInt8(rank))
    }

    mutating func add(_ other: DistinctSketch) {
        for index in registers.indices where registers[index] < other.registers[index] {
            registers[index] = other.registers[index]
        }
    }

    /// The estimate, by Ertl's formula, which needs no corrections for small or large counts.
    var estimate: Int64 {
        var ranks = [Double](repeating: 0, count: DistinctSketch.greatest + 1)
        for register in registers { ranks[Int(register)] += 1 }
        let size = Double(DistinctSketch.count)
        var sum = size * DistinctSketch.tau(1 - ranks[DistinctSketch.greatest] / size)
        for rank in stride(from: DistinctSketch.greatest - 1, to: 0, by: -1) { sum = 0.5 * (sum + ranks[rank]) }
        sum += size * DistinctSketch.sigma(ranks[0] / size)
        guard sum.isFinite, sum > 0 else { return 0 }
        return Int64(min((size * size / (2 * log(2) * sum)).rounded(), 0x1p62))
    }

    private static func sigma(_ start: Double) -> Double {
        guard start < 1 else { return .infinity }
        var (x, y, sum) = (start, 1.0, start)
        while true {
            x *= x
            let before = sum
            sum += x * y
            y += y
            if sum == before { return sum }
        }
    }

    private static func tau(_ start: Double) -> Double {
        guard start > 0, start < 1 else { return 0 }
        var (x, y, sum) = (start, 1.0, 1 - start)
        while true {
            x = x.squareRoot()
            let before = sum
            y *= 0.5
            sum -= (1 - x) * (1 - x) * y
            if sum == before { return sum / 3 }
        }
    }
}

extension DistinctSketch {
    private enum Form {
        static let sparse: UInt8 = 0
        static let dense: UInt8 = 1
    }

    /// If only few registers are in use, they are written one by one: their number, then for each its distance from the
    /// previous one and its rank.
    func write(to writer: inout SummaryWriter) {
        let used = registers.indices.filter { registers[$0] != 0 }
        guard used.count * 2 < DistinctSketch.count else {
            writer.bytes.append(Form.dense)
            writer.bytes += registers
            return
        }
        writer.bytes.append(Form.sparse)
        writer.append(UInt64(used.count))
        var next = 0
        for index in used {
            writer.append(UInt64(index - next))
            writer.bytes.append(registers[index])
            next = index + 1
        }
    }

    /// Nil: the bytes do not have this form.
    init?(_ bytes: RawSpan, _ offset: inout Int) {
        guard let form = SummaryReader.byte(bytes, &offset) else { return nil }
        if form == Form.dense {
            for index in registers.indices {
                guard let rank = SummaryReader.byte(bytes, &offset) else { return nil }
                registers[index] = rank
            }
        } else {
            guard form == Form.sparse, let used = SummaryReader.number(bytes, &offset), used <= DistinctSketch.count
            else { return nil }
            var next = 0
            for _ in 0..<used {
                guard let distance = SummaryReader.number(bytes, &offset), distance < DistinctSketch.count,
                    let rank = SummaryReader.byte(bytes, &offset), next + Int(distance) < registers.count
                else { return nil }
                registers[next + Int(distance)] = rank
                next += Int(distance) + 1
            }
        }
        guard registers.allSatisfy({ $0 <= DistinctSketch.greatest }) else { return nil }
    }
}
