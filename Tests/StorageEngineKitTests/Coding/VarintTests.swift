import StorageEngineKit
import StorageProtocol
import Testing

/// Numbers in values: LEB128 in the fewest bytes.
@Suite
struct VarintTests {
    static let known: [(UInt64, [UInt8])] = [
        (0, [0]), (1, [1]), (127, [0x7F]), (128, [0x80, 1]), (300, [0xAC, 2]), (16_383, [0xFF, 0x7F]),
        (16_384, [0x80, 0x80, 1]), (1 << 35, [0x80, 0x80, 0x80, 0x80, 0x80, 1]),
        (UInt64(Int64.max), repeated(0xFF, 8) + [0x7F]), (.max, repeated(0xFF, 9) + [1]),
    ]

    @Test("numbers have the bytes that the format documents", arguments: known)
    func vectors(number: UInt64, bytes: [UInt8]) {
        #expect(Varint.length(number) == bytes.count)
        #expect(written(number) == bytes)
        var offset = 0
        #expect(bytes.withUnsafeBytes { Varint.read($0, &offset) } == number)
        #expect(offset == bytes.count)
    }

    @Test("lengths are right around every power of two")
    func lengths() {
        for bit in 0..<64 {
            for number in [(1 << bit) - 1, 1 << bit, (1 << bit) + 1] as [UInt64] {
                #expect(Varint.length(number) == written(number).count)
            }
        }
    }

    @Test(
        "what is truncated, too long or not the shortest form is not a number",
        arguments: [
            [], [0x80], [0xFF], [0x80, 0], [0x80, 0x80, 0], repeated(0xFF, 9) + [2], repeated(0x80, 10),
            repeated(0xFF, 10) + [1],
        ] as [[UInt8]]
    )
    func refuses(bytes: [UInt8]) {
        var offset = 0
        #expect(bytes.withUnsafeBytes { Varint.read($0, &offset) } == nil)
    }

    @Test(
        "a length beyond the available bytes consumes nothing",
        arguments: [[1], [2, 0x61], repeated(0xFF, 9) + [1], repeated(0xFF, 8) + [0x7F, 0x61]] as [[UInt8]]
    )
    func lengthsBeyond(bytes: [UInt8]) {
        var offset = 0
        #expect(bytes.withUnsafeBytes { Varint.readBytes($0, &offset) == nil })
        offset = 0
        #expect(bytes.withUnsafeBytes { Varint.readRange($0, &offset) } == nil)
    }

    @Test func bytesAreReadAsTheyWereWritten() {
        for count in [0, 1, 127, 128, 300] {
            let content = Self.repeated(7, count)
            var stored = Self.repeated(0, count + 2)
            var end = 0
            stored.withUnsafeMutableBytes { target in content.withUnsafeBytes { Varint.write($0, to: target, &end) } }
            #expect(end == Varint.length(UInt64(count)) + count)
            var offset = 0
            #expect(stored.withUnsafeBytes { Varint.readBytes($0, &offset).map(Array.init) } == content)
            #expect(offset == end)
        }
    }

    private static func repeated(_ byte: UInt8, _ count: Int) -> [UInt8] { Array(repeating: byte, count: count) }

    private func written(_ number: UInt64) -> [UInt8] {
        var bytes = Self.repeated(0xEE, 10)
        var count = 0
        bytes.withUnsafeMutableBytes { Varint.write(number, to: $0, &count) }
        return Array(bytes[..<count])
    }
}
