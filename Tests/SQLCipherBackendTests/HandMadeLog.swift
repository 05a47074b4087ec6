internal import Foundation

/// Logs with right checksums and any pages. Layout: https://www.sqlite.org/fileformat2.html#the_write_ahead_log
enum HandMadeLog {
    private static let salts: [UInt8] = [0, 0, 0, 1, 0, 0, 0, 2]

    /// Returns a log whose frames are one commit.
    ///
    /// - Parameter pages: The number of pages of the file after it.
    static func bytes(_ frames: [(number: UInt32, page: [UInt8])], pages: UInt32) -> Data {
        var header = word(0x377F_0683) + word(3_007_000) + word(4096) + word(0) + salts
        let sum = checksum((0, 0), header)
        header += word(sum.0) + word(sum.1)
        return appending(frames, pages: pages, to: Data(header))
    }

    /// Returns a log and a further commit.
    static func appending(_ frames: [(number: UInt32, page: [UInt8])], pages: UInt32, to log: Data) -> Data {
        var log = [UInt8](log)
        let isBigEndian = log[3] == 0x83
        let last = log.count == 32 ? 24 : log.count - 4096 - 8
        var sum = (number(log, last), number(log, last + 4))
        let salts = Array(log[16..<24])
        for (index, frame) in frames.enumerated() {
            let head = word(frame.number) + word(index == frames.count - 1 ? pages : 0)
            sum = checksum(checksum(sum, head, isBigEndian), frame.page, isBigEndian)
            log += head + salts + word(sum.0) + word(sum.1) + frame.page
        }
        return Data(log)
    }

    private static func checksum(
        _ sum: (UInt32, UInt32),
        _ bytes: [UInt8],
        _ isBigEndian: Bool = true
    ) -> (UInt32, UInt32) {
        var sum = sum
        for offset in stride(from: 0, to: bytes.count, by: 8) {
            let pair = [number(bytes, offset), number(bytes, offset + 4)].map { isBigEndian ? $0 : $0.byteSwapped }
            sum.0 = sum.0 &+ pair[0] &+ sum.1
            sum.1 = sum.1 &+ pair[1] &+ sum.0
        }
        return sum
    }

    private static func word(_ value: UInt32) -> [UInt8] {
        (0..<4).map { UInt8(truncatingIfNeeded: value >> (24 - 8 * $0)) }
    }

    private static func number(_ bytes: [UInt8], _ offset: Int) -> UInt32 {
        bytes[offset..<offset + 4].reduce(0) { $0 << 8 | UInt32($1) }
    }
}
