internal import SetteeCouchProtocol
internal import StorageConformance
internal import Testing

/// Headers come from outside: nothing in them may trap, and errors are those of the client.
@Suite struct HostileHeaderTests {
    private static func text(_ generator: inout SeededGenerator) -> String {
        let pieces = [
            "\"", "\\", ";", ",", "=", " ", "\t", "*", "W/", "bytes=", "-", "0", "99999999999999999999", "a", "é",
            "\u{0}",
            "\r\n", "%", "%4", "UTF-8''", "filename*=", "boundary=", "multipart/x", "gzip", "q=0", "'", "\u{301}",
        ]
        return (0..<generator.below(10)).map { _ in pieces[generator.below(pieces.count)] }.joined()
    }

    @Test(arguments: 0..<20) func survivesAnyText(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        for _ in 0..<300 {
            let text = Self.text(&generator)
            let refusals = [
                refusal { () throws(CouchError) in _ = try HeaderValue(text) },
                refusal { () throws(CouchError) in _ = try ContentDisposition.fileName(text) },
                refusal { () throws(CouchError) in _ = try MultipartBoundary(contentType: text) },
                refusal { () throws(CouchError) in _ = try EntityTagCondition(header: text) },
            ]
            #expect(refusals.allSatisfy { $0 == nil || $0?.status == 400 }, "seed \(seed)")
            let coding = refusal { () throws(CouchError) in _ = try ContentCoding(header: text) }
            #expect(coding == nil || coding?.status == 415, "seed \(seed)")
            // What a header has between its quotes is what comes back from the tags written.
            if case .tags(let tags)? = try? EntityTagCondition(header: text) {
                let written = tags.map(\.header).joined(separator: ",")
                #expect((try? EntityTagCondition(header: written)) == .tags(tags), "seed \(seed)")
            }
            let length = UInt64(generator.below(20))
            let range = refusal { () throws(CouchError) in
                let range = try ByteRange.requested(text, of: length)
                #expect(range.map { $0.first <= $0.last && $0.last < length } ?? true, "seed \(seed)")
            }
            #expect(range == nil || range == .rangeNotSatisfiable, "seed \(seed)")
        }
    }
}
