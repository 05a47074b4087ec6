import Foundation

/// MD5 after RFC 1321, for revision IDs that are computed independently of the library.
enum MD5 {
    private static let shifts: [UInt32] = [7, 12, 17, 22, 5, 9, 14, 20, 4, 11, 16, 23, 6, 10, 15, 21]
    private static let sines: [UInt32] = (1...64).map { UInt32(4_294_967_296 * abs(sin(Double($0)))) }

    /// The digest in lower-case hexadecimal digits.
    static func hex(_ message: [UInt8]) -> String {
        var padded = message + [0x80]
        while padded.count % 64 != 56 { padded.append(0) }
        let bits = UInt64(message.count) * 8
        for place in 0..<8 { padded.append(UInt8(truncatingIfNeeded: bits >> (8 * UInt64(place)))) }

        var state: [UInt32] = [0x6745_2301, 0xEFCD_AB89, 0x98BA_DCFE, 0x1032_5476]
        for block in stride(from: 0, to: padded.count, by: 64) {
            var words: [UInt32] = []
            for start in stride(from: block, to: block + 64, by: 4) {
                let low = (UInt32(padded[start]), UInt32(padded[start + 1]), UInt32(padded[start + 2]))
                words.append(low.0 | low.1 << 8 | low.2 << 16 | UInt32(padded[start + 3]) << 24)
            }
            let mixed = round(state, words)
            for index in 0..<4 { state[index] &+= mixed[index] }
        }
        var digits = ""
        for word in state {
            for shift in [UInt32(0), 8, 16, 24] {
                let byte = (word >> shift) & 0xFF
                digits += (byte < 16 ? "0" : "") + String(byte, radix: 16)
            }
        }
        return digits
    }

    private static func round(_ start: [UInt32], _ words: [UInt32]) -> [UInt32] {
        var (a, b, c, d) = (start[0], start[1], start[2], start[3])
        for step in 0..<64 {
            let mixed: UInt32
            let word: Int
            switch step / 16 {
            case 0: (mixed, word) = (b & c | ~b & d, step)
            case 1: (mixed, word) = (d & b | ~d & c, (5 * step + 1) % 16)
            case 2: (mixed, word) = (b ^ c ^ d, (3 * step + 5) % 16)
            default: (mixed, word) = (c ^ (b | ~d), 7 * step % 16)
            }
            let sum = a &+ mixed &+ sines[step] &+ words[word]
            let shift = shifts[step / 16 * 4 + step % 4]
            (a, d, c, b) = (d, c, b, b &+ (sum << shift | sum >> (32 - shift)))
        }
        return [a, b, c, d]
    }
}

/// The ID of a revision by the recipe: [length of the parent's ID, parent's ID], deleted byte, canonical JSON.
func expectedRevisionID(_ json: String, parent: String? = nil, isDeleted: Bool = false) -> String {
    var message: [UInt8] = []
    var generation = 1
    if let parent {
        message.append(UInt8(parent.utf8.count))
        message += Array(parent.utf8)
        generation = (Int(parent.prefix { $0 != "-" }) ?? 0) + 1
    }
    message.append(isDeleted ? 1 : 0)
    message += Array(json.utf8)
    return "\(generation)-\(MD5.hex(message))"
}
