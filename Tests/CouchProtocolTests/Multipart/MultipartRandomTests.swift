internal import SetteeCouchProtocol
internal import StorageConformance
internal import Testing

@Suite struct MultipartRandomTests {
    /// Contents made of what boundaries are made of.
    private static func content(_ boundary: String, _ generator: inout SeededGenerator) -> [UInt8] {
        var content: [UInt8] = []
        for _ in 0..<generator.below(12) {
            switch generator.below(6) {
            case 0: content += Array("\r\n--\(boundary)".utf8.dropLast(1 + generator.below(boundary.utf8.count)))
            case 1: content += Array("\r\n".utf8)
            case 2: content += Array("--\(boundary)".utf8)
            case 3: content += [0x0D]
            case 4: content += Array("\n--\(boundary)--\r".utf8)
            default: content += generator.bytes(generator.below(20))
            }
        }
        // What must not be in a content: the delimiter, also with the line end before it.
        let text = Array("\r\n".utf8) + content
        let delimiter = Array("\r\n--\(boundary)".utf8)
        let isIn = text.indices.contains { text[$0...].starts(with: delimiter) }
        return isIn ? [] : content
    }

    @Test(arguments: 0..<40) func readsWhatWasWritten(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        for _ in 0..<25 {
            let boundary = MultipartBoundary(using: &generator)
            var writer = MultipartWriter(boundary: boundary)
            var message: [UInt8] = []
            var expected: [PartCollector.Part] = []
            var lengths: [(headers: MultipartHeaders, length: UInt64)] = []
            for number in 0..<generator.below(5) {
                let content = Self.content(boundary.text, &generator)
                let headers = try MultipartHeaders.attachment(
                    String(decoding: generator.bytes(6), as: UTF8.self),
                    contentType: "text/plain; n=\(number)",
                    length: UInt64(content.count),
                    coding: number == 1 ? .gzip : .identity
                )
                message += writer.head(headers) + content
                lengths.append((headers, UInt64(content.count)))
                let fields = headers.fields.map { [$0.name.lowercased(), $0.value] }
                expected.append(PartCollector.Part(headers: fields, content: content))
            }
            message += writer.end()
            #expect(MultipartWriter.length(boundary: boundary, parts: lengths) == UInt64(message.count))
            let pieces = (0..<message.count).map { _ in generator.below(40) }
            let collector = try read(message, boundary: boundary.text, lengths: pieces)
            #expect(collector.parts == expected, "seed \(seed)")
            #expect(collector.hasEnded && collector.misplaced == 0)
        }
    }
}
