/// SplitMix64: the same numbers for the same seed, on every machine. All random tests of the package use it.
///
/// Source: G. L. Steele, D. Lea, C. H. Flood, "Fast splittable pseudorandom number generators", OOPSLA 2014.
package struct SeededGenerator: RandomNumberGenerator {
    package let seed: UInt64
    private var state: UInt64

    package init(seed: UInt64) {
        self.seed = seed
        state = seed
    }

    package mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }

    /// A number from 0 up to `limit`, which is excluded.
    package mutating func below(_ limit: Int) -> Int { Int.random(in: 0..<limit, using: &self) }

    /// True in `count` of `all` cases.
    package mutating func chance(_ count: Int, in all: Int) -> Bool { below(all) < count }

    package mutating func bytes(_ count: Int) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(count + 8)
        while bytes.count < count { unsafe withUnsafeBytes(of: next()) { unsafe bytes.append(contentsOf: $0) } }
        bytes.removeLast(bytes.count - count)
        return bytes
    }
}
