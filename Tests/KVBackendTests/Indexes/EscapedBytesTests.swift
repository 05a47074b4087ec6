import StorageConformance
import StorageProtocol
import Testing

@testable import SetteeKV

/// Byte strings inside keys.
@Suite struct EscapedBytesTests {
    private func form(_ parts: [[UInt8]]) -> [UInt8] {
        var buffer = KeyBuffer()
        for part in parts { part.withUnsafeBytes { EscapedBytes.append($0, to: &buffer) } }
        let form = Array(buffer.bytes)
        let lengths = parts.map { part in part.withUnsafeBytes { EscapedBytes.length(of: $0) } }
        #expect(form.count == lengths.reduce(0, +))
        return form
    }

    /// The parts of a form, from `start` on to its end.
    private func parts(_ form: [UInt8], from start: Int = 0) throws(StorageError) -> [[UInt8]] {
        var spare = KeyBuffer()
        defer { spare.removeAll() }
        var parts: [[UInt8]] = []
        var offset = start
        while offset < form.count {
            parts.append(
                try form.span.bytes.withUnsafeBytes { (form) throws(StorageError) in
                    Array(try EscapedBytes.read(form, &offset, &spare))
                }
            )
        }
        return parts
    }

    @Test func vectors() {
        #expect(form([[]]) == [0, 1])
        #expect(form([[0]]) == [0, 0xFF, 0, 1])
        #expect(form([[1, 0, 2], [0xFF]]) == [1, 0, 0xFF, 2, 0, 1, 0xFF, 0, 1])
    }

    @Test(arguments: 1...20 as ClosedRange<UInt64>)
    func formsComeBackAndSortAsTheirPartsDo(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        func part() -> [UInt8] { (0..<random.below(6)).map { _ in [0, 1, 2, 0x61, 0xFE, 0xFF][random.below(6)] } }
        let pairs = (0..<300).map { _ in [part(), part()] }
        for pair in pairs { #expect(try parts(form(pair)) == pair, "seed \(seed)") }
        let byParts = pairs.sorted { a, b in
            let first = compareBytes(a[0], b[0])
            return first != 0 ? first < 0 : compareBytes(a[1], b[1]) < 0
        }
        let byForm = pairs.sorted { compareBytes(form($0), form($1)) < 0 }
        #expect(byParts == byForm, "seed \(seed)")
    }

    @Test(arguments: [[0], [0, 2], [1, 2], [0xFF], [0, 0xFF], [1, 0, 0xFF, 0], [0, 0], []] as [[UInt8]])
    func whatIsNoFormIsCorrupt(bytes: [UInt8]) {
        #expect(
            code {
                var spare = KeyBuffer()
                var offset = 0
                _ = try bytes.span.bytes.withUnsafeBytes { (bytes) throws(StorageError) in
                    try EscapedBytes.read(bytes, &offset, &spare).count
                }
            } == .corrupt
        )
    }

    @Test func theEndOfAPrefixIsAboveAllThatBeginWithIt() {
        #expect(RowKey.end(of: [1, 0, 1]) == [1, 0, 2])
        #expect(RowKey.end(of: [1, 0xFF, 0xFF]) == [2])
        #expect(RowKey.end(of: [1, 0, 1, 0xFF, 0xFF, 0xFF, 0xFF]) == [1, 0, 2])
    }
}
