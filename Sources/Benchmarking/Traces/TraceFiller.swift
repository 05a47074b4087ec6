/// Makes bodies and contents: the same for the same hashes and sizes, whatever the machine.
struct TraceFiller {
    /// The smallest body that is made, in bytes: with a key for views, and what tells it from other revisions.
    static let smallestBody = 27

    private var state: UInt64

    init(_ seed: UInt64) { state = seed }

    /// SplitMix64.
    private mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = (state ^ (state >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }

    /// 16 hexadecimal digits.
    static func text(_ hash: UInt64) -> String {
        let digits = String(hash, radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }

    /// The beginning of the hash of a document's ID, which views have as the key.
    static func key(_ document: UInt64) -> String { String(text(document).prefix(4)) }

    /// The member that fills a body of `size` bytes with a key, in canonical JSON.
    static func filling(_ revision: UInt64, size: Int) -> String {
        // {"k":"abcd","s":"..."}
        let count = max(8, size - 19)
        var filler = TraceFiller(revision)
        return String(decoding: text(revision).utf8.suffix(8) + filler.words(count - 8), as: UTF8.self)
    }

    private static let vocabulary =
        "a time the of river stone seventeen green and letter under again house far small window"
        .split(separator: " ").map { Array($0.utf8) }

    /// Words, which compress about as text does.
    private mutating func words(_ count: Int) -> [UInt8] {
        var text: [UInt8] = []
        text.reserveCapacity(count)
        var random: UInt64 = 0
        var left = 0
        while text.count < count {
            if left == 0 {
                random = next()
                left = 16
            }
            text += TraceFiller.vocabulary[Int(random & 15)]
            text.append(0x20)
            random >>= 4
            left -= 1
        }
        text.removeLast(text.count - count)
        return text
    }

    /// Bytes that do not compress, as most contents of attachments.
    mutating func bytes(_ count: Int) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(count + 8)
        while bytes.count < count {
            let random = next()
            for shift in stride(from: 0, to: 64, by: 8) { bytes.append(UInt8(truncatingIfNeeded: random >> shift)) }
        }
        bytes.removeLast(bytes.count - count)
        return bytes
    }
}
