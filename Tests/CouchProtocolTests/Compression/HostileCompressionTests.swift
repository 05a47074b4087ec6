internal import SetteeCouchProtocol
internal import StorageConformance
internal import Testing

@Suite struct HostileCompressionTests {
    private static func sample(_ format: CompressionFormat) throws -> [UInt8] {
        var generator = SeededGenerator(seed: 5)
        return try CompressionTests.compress(
            Array("hello, hello, hello".utf8) + generator.bytes(30),
            format,
            &generator
        )
    }

    @Test(arguments: [CompressionFormat.gzip, .zlib]) func refusesContentCutAnywhere(format: CompressionFormat) throws {
        let sample = try Self.sample(format)
        for count in 0..<sample.count {
            let error = refusal { () throws(CouchError) in
                _ = try CompressionTests.inflate(Array(sample[..<count]), format) { _ in 7 }
            }
            #expect(error?.status == 400, "cut at \(count)")
        }
    }

    /// Each bit counts: in the checksums, too. Only some of gzip's header means nothing.
    @Test(arguments: [CompressionFormat.gzip, .zlib]) func refusesDamage(format: CompressionFormat) throws {
        let sample = try Self.sample(format)
        let whole = try CompressionTests.inflate(sample, format) { _ in sample.count }
        for place in (format == .gzip ? 10 : 0)..<sample.count {
            for bit in 0..<8 {
                var damaged = sample
                damaged[place] ^= 1 << bit
                let read = try? CompressionTests.inflate(damaged, format) { _ in sample.count }
                // Bits between the end of the last block and the checksum mean nothing.
                #expect(read == nil || read == whole, "bit \(bit) of \(place)")
            }
        }
        for place in (sample.count - 4)..<sample.count {
            var damaged = sample
            damaged[place] ^= 1
            #expect(
                refusal { () throws(CouchError) in
                    _ = try CompressionTests.inflate(damaged, format) { _ in 1 }
                }?.status == 400
            )
        }
    }

    @Test func refusesWhatFollows() throws {
        for format in [CompressionFormat.gzip, .zlib] {
            for rest in [[0], [0x1F], [0x1F, 0x8B], Array("garbage".utf8), [UInt8](repeating: 0, count: 512)] {
                let input = try Self.sample(format) + rest
                for length in [1, input.count] {
                    let error = refusal { () throws(CouchError) in
                        _ = try CompressionTests.inflate(input, format) { _ in length }
                    }
                    #expect(error?.status == 400)
                }
            }
        }
        let twice = try Self.sample(.zlib) + Self.sample(.zlib)
        let error = refusal { () throws(CouchError) in
            _ = try CompressionTests.inflate(twice, .zlib) { _ in twice.count }
        }
        #expect(error?.status == 400)
    }

    @Test func refusesTheOtherFormat() throws {
        for (sample, format) in [(try Self.sample(.gzip), CompressionFormat.zlib), (try Self.sample(.zlib), .gzip)] {
            let error = refusal { () throws(CouchError) in _ = try CompressionTests.inflate(sample, format) { _ in 9 } }
            #expect(error?.status == 400)
        }
    }

    /// 16 MiB of zeros in 16 KiB: what is passed on stays within the limits, and so does what is worked on.
    @Test(arguments: [CompressionFormat.gzip, .zlib]) func endsBombs(format: CompressionFormat) throws {
        var generator = SeededGenerator(seed: 1)
        let bomb = try CompressionTests.compress([UInt8](repeating: 0, count: 16 << 20), format, level: 9, &generator)
        #expect(bomb.count < 17_000)
        for (limits, most) in [
            (InflationLimits(bytes: 100_000, ratio: .max), 100_000),
            (InflationLimits(bytes: 1 << 30, ratio: 100, freeBytes: 1 << 16), bomb.count * 100),
            (InflationLimits(bytes: 1 << 30, ratio: 0, freeBytes: 1 << 20), 1 << 20),
        ] {
            for length in [100, bomb.count] {
                let inflater = try GzipInflater(format, limits: limits)
                var count = 0
                var error: CouchError?
                var place = 0
                while error == nil, place < bomb.count {
                    let end = min(bomb.count, place + length)
                    error = refusal { () throws(CouchError) in
                        try unsafe inflater.push(bomb.span.bytes.extracting(place..<end)) { count += $0.byteCount }
                    }
                    place = end
                }
                #expect(error == .tooLarge)
                #expect(count <= most)
                #expect(
                    refusal { () throws(CouchError) in try unsafe inflater.push([0].span.bytes) { _ in } }?.status
                        == 400
                )
                #expect(refusal { () throws(CouchError) in try inflater.finish() }?.status == 400)
            }
        }
    }

    @Test func letsExactlyTheLimitPass() throws {
        var generator = SeededGenerator(seed: 1)
        let content = [UInt8](repeating: 9, count: 200_000)
        let compressed = try CompressionTests.compress(content, .gzip, &generator)
        for (limit, isAllowed) in [(200_000, true), (199_999, false)] as [(UInt64, Bool)] {
            let read = try? CompressionTests.inflate(compressed, .gzip, limits: InflationLimits(bytes: limit)) { _ in 64
            }
            #expect((read == content) == isAllowed)
        }
    }

    @Test func boundsTheRatio() throws {
        var generator = SeededGenerator(seed: 1)
        let content = [UInt8](repeating: 9, count: 200_000)
        let compressed = try CompressionTests.compress(content, .gzip, &generator)
        let ratio = UInt64(content.count / compressed.count)
        // Deflate cannot exceed 1,032, but parts of the content may exceed the ratio of the whole.
        for (limit, isAllowed) in [(1032, true), (ratio - 1, false)] {
            let limits = InflationLimits(bytes: 1 << 30, ratio: limit, freeBytes: 0)
            let read = try? CompressionTests.inflate(compressed, .gzip, limits: limits) { _ in compressed.count }
            #expect((read == content) == isAllowed)
        }
    }

    @Test func passesOnTheReceiversError() throws {
        let inflater = try GzipInflater(.gzip, limits: InflationLimits(bytes: 100))
        let sample = try Self.sample(.gzip)
        let error = refusal { () throws(CouchError) in
            try unsafe inflater.push(sample.span.bytes) { (_) throws(CouchError) in throw .conflict }
        }
        #expect(error == .conflict)
        #expect(refusal { () throws(CouchError) in try inflater.finish() }?.status == 400)
    }
}
