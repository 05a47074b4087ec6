import StorageConformance

@testable import SetteeKV

/// Damage to a data file, mostly where LMDB follows what it reads: headers, offsets, the headers of entries.
struct RandomDamage {
    var random: SeededGenerator
    private static let size = 4_096

    init(seed: UInt64) { random = SeededGenerator(seed: seed) }

    /// Damages `file` in place.
    ///
    /// - Returns: what was done.
    mutating func strike(_ file: inout [UInt8], pages: [Int]) -> String {
        let page = pages[random.below(pages.count)]
        let place = min(place(in: file, page), file.count - 8)
        switch random.below(10) {
        case 0, 1, 2:
            file[place] ^= 1 << UInt8(random.below(8))
            return "bit in byte \(place)"
        case 3, 4:
            let value = [0, 1, 2, 15, 16, 17, 255, 4_088, 4_094, 4_095, 4_096, 32_768, 65_535][random.below(13)]
            write(UInt64(value), 2, to: &file, place & ~1)
            return "\(value) in the 2 bytes at \(place & ~1)"
        case 5:
            let other = UInt64(pages[random.below(pages.count)])
            let values: [UInt64] = [0, 1, UInt64(page), other, 1 << 31, (1 << 32) - 1]
            let value = values[random.below(6)]
            write(value, 4, to: &file, place & ~3)
            return "\(value) in the 4 bytes at \(place & ~3)"
        case 6:
            let last = UInt64(file.count / Self.size)
            let values: [UInt64] = [0, 1, last - 1, last, last + 1, 1 << 47, 1 << 63, .max - 1, .max]
            let value = values[random.below(9)]
            write(value, 8, to: &file, place & ~7)
            return "\(value) in the 8 bytes at \(place & ~7)"
        case 7:
            for place in page * Self.size..<(page + 1) * Self.size { file[place] = 0 }
            return "page \(page) zero"
        case 8:
            let other = pages[random.below(pages.count)]
            let keepsNumber = random.below(2) == 0 ? 0 : 8
            for place in keepsNumber..<Self.size { file[page * Self.size + place] = file[other * Self.size + place] }
            return "page \(page) as page \(other) from byte \(keepsNumber)"
        default:
            for offset in 0..<min(64, file.count - place) { file[place + offset] = UInt8(random.below(256)) }
            return "64 random bytes at \(place)"
        }
    }

    private mutating func place(in file: [UInt8], _ page: Int) -> Int {
        let start = page * Self.size
        let lower = Int(file.u16(start + 12))
        switch random.below(10) {
        case 0, 1: return start + random.below(16)
        case 2, 3, 4: return start + 16 + random.below(max(2, min(lower, Self.size) - 16))
        case 5...8 where lower > 16 && lower <= Self.size:
            let node = Int(file.u16(start + 16 + 2 * random.below((lower - 16) / 2)))
            return start + min(node, Self.size - 16) + random.below(16)
        default: return start + random.below(Self.size)
        }
    }

    private func write(_ value: UInt64, _ count: Int, to file: inout [UInt8], _ place: Int) {
        for offset in 0..<count { file[place + offset] = UInt8(truncatingIfNeeded: value >> (8 * UInt64(offset))) }
    }
}
