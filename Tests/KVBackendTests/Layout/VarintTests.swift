import Testing

@testable import SetteeKV

/// Numbers in values: LEB128 in the fewest bytes.
@Suite
struct VarintTests {
    static let known: [(UInt64, String)] = [
        (0, "00"), (1, "01"), (127, "7f"), (128, "8001"), (300, "ac02"), (16_383, "ff7f"), (16_384, "808001"),
        (1 << 35, "808080808001"), (UInt64(Int64.max), "ffffffffffffffff7f"), (.max, "ffffffffffffffffff01"),
    ]

    @Test("numbers have the bytes that the format documents", arguments: known)
    func vectors(number: UInt64, text: String) {
        #expect(Varint.length(number) == text.count / 2)
        var count = 0
        let stored = written(text.count / 2) { Varint.write(number, to: $0, &count) }
        #expect(hex(stored) == text)
        var offset = 0
        #expect(bytes(text).withUnsafeBytes { Varint.read($0, &offset) } == number)
        #expect(offset == count)
    }

    @Test("lengths are right around every power of two")
    func lengths() {
        for bit in 0..<64 {
            for number in [(1 << bit) - 1, 1 << bit, (1 << bit) + 1] as [UInt64] {
                var count = 0
                _ = written(10) { Varint.write(number, to: $0, &count) }
                #expect(Varint.length(number) == count)
            }
        }
    }

    @Test(
        "what is truncated, too long or not the shortest form is not a number",
        arguments: [
            "", "80", "ff", "8000", "808000", "ffffffffffffffffff02", "80808080808080808080", "ffffffffffffffffffff01",
        ]
    )
    func refuses(text: String) {
        var offset = 0
        #expect(bytes(text).withUnsafeBytes { Varint.read($0, &offset) } == nil)
    }

    @Test("a length beyond the available bytes consumes nothing")
    func lengthsBeyond() {
        for text in ["01", "0261", "ffffffffffffffffff01", "ffffffffffffffff7f61"] {
            var offset = 0
            #expect(bytes(text).withUnsafeBytes { Varint.readBytes($0, &offset) == nil })
        }
    }
}
