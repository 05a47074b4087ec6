/// A set of IDs that takes a fixed amount of memory. It has all that were inserted, and about one in 400 others where
/// there are as many as were expected: a Bloom filter.
struct IDFilter {
    private static let bitsPerID = 16.0
    private static let probes = 4
    private static let fewestBits = 1 << 13
    /// 4 MiB, enough for two million IDs.
    private static let mostBits = 1 << 25

    private var words: [UInt64]
    private let mask: UInt64

    init(expected: Double) {
        let wanted = expected * IDFilter.bitsPerID
        var bits = IDFilter.fewestBits
        while bits < IDFilter.mostBits, Double(bits) < wanted { bits *= 2 }
        words = Array(repeating: 0, count: bits / 64)
        mask = UInt64(bits - 1)
    }

    mutating func insert(_ id: RawSpan) {
        var hash = IDFilter.hash(id)
        for _ in 0..<IDFilter.probes {
            let bit = hash.next(mask)
            words[bit / 64] |= 1 << UInt64(bit % 64)
        }
    }

    func mayContain(_ id: RawSpan) -> Bool {
        var hash = IDFilter.hash(id)
        for _ in 0..<IDFilter.probes {
            let bit = hash.next(mask)
            if words[bit / 64] & 1 << UInt64(bit % 64) == 0 { return false }
        }
        return true
    }

    /// Gives the places of the bits of one ID.
    private struct Places {
        var value: UInt64
        let step: UInt64

        mutating func next(_ mask: UInt64) -> Int {
            defer { value &+= step }
            return Int(value & mask)
        }
    }

    private static func hash(_ id: RawSpan) -> Places {
        var hasher = Hasher()
        unsafe id.withUnsafeBytes { unsafe hasher.combine(bytes: $0) }
        let value = UInt64(bitPattern: Int64(hasher.finalize()))
        return Places(value: value, step: value >> 32 | 1)
    }
}
