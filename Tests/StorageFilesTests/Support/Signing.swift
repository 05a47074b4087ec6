import Crypto

/// A text as a manifest's writer would end it: with its checksum.
func signed(_ text: String) -> [UInt8] {
    let digest = SHA256.hash(data: Array(text.utf8))
    let digits = digest.map { (byte) -> String in
        let text = String(byte, radix: 16)
        return text.utf8.count == 1 ? "0" + text : text
    }
    return Array((text + #","checksum":""# + digits.joined() + "\"}\n").utf8)
}

/// SplitMix64: the same numbers for the same seed everywhere.
struct SeededGenerator: RandomNumberGenerator {
    private var state: UInt64
    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var word = state
        word = (word ^ (word >> 30)) &* 0xBF58_476D_1CE4_E5B9
        word = (word ^ (word >> 27)) &* 0x94D0_49BB_1331_11EB
        return word ^ (word >> 31)
    }
}
