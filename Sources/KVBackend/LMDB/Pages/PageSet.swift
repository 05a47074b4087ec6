/// A set of page numbers: a bit for each page, in pieces of 32 KiB. Memory grows with the numbers that it contains, not
/// with the size that a file claims.
struct PageSet {
    private static let chunkBits: UInt64 = 18
    private var chunks: [UInt64: [UInt64]] = [:]

    /// Adds a number. Returns false if it was already there.
    mutating func insert(_ page: UInt64) -> Bool {
        let bit = page & ((1 << Self.chunkBits) - 1)
        let word = Int(bit >> 6)
        let mask = UInt64(1) << (bit & 63)
        return Self.set(mask, word, in: &chunks[page >> Self.chunkBits, default: Self.empty])
    }

    private static let empty = [UInt64](repeating: 0, count: 1 << (Int(chunkBits) - 6))

    private static func set(_ mask: UInt64, _ word: Int, in chunk: inout [UInt64]) -> Bool {
        guard chunk[word] & mask == 0 else { return false }
        chunk[word] |= mask
        return true
    }
}
