internal import SetteeCouchProtocol
internal import StorageConformance
internal import Testing

@Suite struct CompressionTests {
    /// Compresses in pieces of random lengths.
    static func compress(
        _ content: [UInt8],
        _ format: CompressionFormat,
        level: Int = 6,
        _ generator: inout SeededGenerator
    ) throws(CouchError) -> [UInt8] {
        let deflater = try GzipDeflater(format, level: level)
        var output: [UInt8] = []
        var place = 0
        while place < content.count {
            let end = min(content.count, place + 1 + generator.below(1 << generator.below(20)))
            try unsafe deflater.push(content.span.bytes.extracting(place..<end)) { output.append($0) }
            place = end
        }
        try deflater.finish { output.append($0) }
        return output
    }

    static func inflate(
        _ input: [UInt8],
        _ format: CompressionFormat,
        limits: InflationLimits = InflationLimits(bytes: 1 << 30, ratio: .max),
        pieces: (Int) -> Int
    ) throws(CouchError) -> [UInt8] {
        let inflater = try GzipInflater(format, limits: limits)
        var output: [UInt8] = []
        var place = 0
        while place < input.count {
            let end = min(input.count, place + pieces(place))
            try unsafe inflater.push(input.span.bytes.extracting(place..<end)) { output.append($0) }
            place = end
        }
        try inflater.finish()
        #expect(inflater.inflatedBytes == UInt64(output.count))
        return output
    }

    @Test(arguments: 0..<12) func inflatesWhatWasDeflated(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        for format in [CompressionFormat.gzip, .zlib] {
            // Up to several output buffers, of content that shrinks a lot, a little or not.
            let unit = generator.bytes(1 + generator.below(3000))
            var content: [UInt8] = []
            while content.count < 1 << generator.below(19) {
                content += generator.chance(1, in: 8) ? generator.bytes(99) : unit
            }
            let compressed = try Self.compress(content, format, level: 1 + generator.below(9), &generator)
            let read = try Self.inflate(compressed, format) { _ in 1 + generator.below(5000) }
            #expect(read == content, "seed \(seed)")
        }
    }

    /// Content whose inflated length is a multiple of the output buffer's.
    @Test(arguments: [0, 1, 65_535, 65_536, 65_537, 131_072, 1_000_000]) func inflatesLengths(count: Int) throws {
        var generator = SeededGenerator(seed: 1)
        let content = [UInt8](repeating: 7, count: count)
        for format in [CompressionFormat.gzip, .zlib] {
            let compressed = try Self.compress(content, format, &generator)
            #expect(try Self.inflate(compressed, format) { _ in compressed.count } == content)
            #expect(try Self.inflate(compressed, format) { _ in 1 } == content)
        }
    }

    /// The end of a content is passed on before gzip's checksum and length, the last 8 bytes, have come.
    @Test(arguments: Array(stride(from: 65_400, to: 66_000, by: 7))) func passesOnAllThereIs(count: Int) throws {
        var generator = SeededGenerator(seed: 1)
        let compressed = try Self.compress([UInt8](repeating: 7, count: count), .gzip, &generator)
        let inflater = try GzipInflater(.gzip, limits: InflationLimits(bytes: 1 << 30))
        try unsafe inflater.push(compressed.span.bytes.extracting(0..<compressed.count - 8)) { _ in }
        #expect(inflater.inflatedBytes == UInt64(count))
    }

    @Test func writesTheFormats() throws {
        var generator = SeededGenerator(seed: 1)
        #expect(try Self.compress([1], .gzip, &generator).starts(with: [0x1F, 0x8B, 8, 0, 0, 0, 0, 0]))
        #expect(try Self.compress([1], .zlib, &generator).first == 0x78)
    }

    /// Bytes from `printf hello | gzip -n` (gzip 1.12), and from Python's `zlib.compress(b"hello")`.
    @Test func readsOthersBytes() throws {
        let gzip: [UInt8] = [
            0x1F, 0x8B, 0x08, 0, 0, 0, 0, 0, 0, 0x03, 0xCB, 0x48, 0xCD, 0xC9, 0xC9, 0x07, 0, 0x86, 0xA6, 0x10, 0x36,
            0x05,
            0, 0, 0,
        ]
        let zlib: [UInt8] = [0x78, 0x9C, 0xCB, 0x48, 0xCD, 0xC9, 0xC9, 0x07, 0, 0x06, 0x2C, 0x02, 0x15]
        #expect(try Self.inflate(gzip, .gzip) { _ in 3 } == Array("hello".utf8))
        #expect(try Self.inflate(zlib, .zlib) { _ in 3 } == Array("hello".utf8))
        #expect(try Self.inflate(gzip + gzip, .gzip) { _ in 3 } == Array("hellohello".utf8))
    }

    @Test func joinsMembers() throws {
        var generator = SeededGenerator(seed: 3)
        let a = try Self.compress([1, 2], .gzip, &generator)
        let empty = try Self.compress([], .gzip, &generator)
        let b = try Self.compress([UInt8](repeating: 3, count: 70_000), .gzip, &generator)
        for length in [1, 5, 1000] {
            let content = try Self.inflate(empty + a + empty + b + a, .gzip) { _ in length }
            #expect(content == [1, 2] + [UInt8](repeating: 3, count: 70_000) + [1, 2])
        }
    }

    @Test func finishesOnce() throws {
        let deflater = try GzipDeflater(.gzip)
        var output: [UInt8] = []
        try deflater.finish { output.append($0) }
        let count = output.count
        try deflater.finish { output.append($0) }
        try unsafe deflater.push([1, 2].span.bytes) { output.append($0) }
        #expect(output.count == count && count > 0)
        for level in [0, 10, -1] {
            let error = refusal { () throws(CouchError) in _ = try GzipDeflater(.gzip, level: level) }
            #expect(error?.status == 400)
        }
    }
}

extension [UInt8] {
    mutating func append(_ bytes: RawSpan) {
        unsafe bytes.withUnsafeBytes { unsafe append(contentsOf: $0) }
    }
}
