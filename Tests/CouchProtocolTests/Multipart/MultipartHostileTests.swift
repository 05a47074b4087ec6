internal import SetteeCouchProtocol
internal import StorageConformance
internal import Testing

@Suite struct MultipartHostileTests {
    @Test func refusesMessagesCutAnywhere() throws {
        let message = Array(MultipartReaderTests.couch.utf8)
        for count in 0..<message.count {
            let error = refusal { () throws(CouchError) in _ = try read(Array(message[..<count]), boundary: "abc") }
            #expect(error?.status == 400, "cut at \(count)")
        }
    }

    @Test(arguments: [
        // Behind a boundary.
        "--bx\r\n\r\n\r\n--b--", "--b-x\r\n", "--b\n\r\n\r\n--b--", "--b\r\r\n\r\n--b--", "--b x\r\n\r\n\r\n--b--",
        "--b -\r\n\r\n\r\n--b--", "--b\r\n\r\n\r\n--bb--",
        // Headers.
        "--b\r\nno colon\r\n\r\n\r\n--b--", "--b\r\n: x\r\n\r\n\r\n--b--", "--b\r\nA B: x\r\n\r\n\r\n--b--",
        "--b\r\nA: x\n\r\n\r\n--b--", "--b\r\nA: x\rB: y\r\n\r\n\r\n--b--", "--b\r\nA: x\r\n y\r\n\r\n\r\n--b--",
        "--b\r\nA : x\r\n\r\n\r\n--b--", "--b\r\nA: x\u{0}\r\n\r\n\r\n--b--", "--b\r\nA: x\r\na: y\r\n\r\n\r\n--b--",
        "--b\r\n\n\r\n--b--", "--b\r\nA: x\r\n\r\r\n--b", "--b\r\nA: \u{7F}\r\n\r\n\r\n--b--",
        // No boundary at the beginning of a line; no end.
        "", "x--b--", "\n--b--", "--b\r\n\r\nx--b--", "--b\r\n\r\nx\n--b--", "--b\r\n\r\nx\r\n--b-",
    ])
    func refuses(message: String) {
        #expect(refusal { () throws(CouchError) in _ = try read(message, boundary: "b") }?.status == 400)
    }

    @Test func refusesHeadersThatAreNotUTF8() {
        let message = Array("--b\r\nA: ".utf8) + [0xE9] + Array("\r\n\r\n\r\n--b--".utf8)
        #expect(refusal { () throws(CouchError) in _ = try read(message, boundary: "b") }?.status == 400)
    }

    /// Headers without end are refused at the limit, not at the end.
    @Test(arguments: [1, 7, 4096]) func boundsHeaders(length: Int) throws {
        let piece = Array(repeating: UInt8(ascii: "A"), count: length)
        var reader = MultipartReader(boundary: try MultipartBoundary("b"))
        var collector = PartCollector()
        try unsafe reader.push(Array("--b\r\n".utf8).span.bytes, to: &collector)
        var sent = 0
        var error: CouchError?
        while error == nil, sent < 1 << 16 {
            error = refusal { () throws(CouchError) in try unsafe reader.push(piece.span.bytes, to: &collector) }
            sent += length
        }
        #expect(error?.status == 400)
        #expect(sent > 16 << 10 && sent <= (16 << 10) + length)
    }

    @Test func boundsTheNumberOfHeaders() throws {
        for (count, status) in [(64, nil), (65, 400)] as [(Int, Int?)] {
            let headers = (0..<count).map { "H\($0): x\r\n" }.joined()
            let message = "--b\r\n\(headers)\r\n\r\n--b--"
            #expect(refusal { () throws(CouchError) in _ = try read(message, boundary: "b") }?.status == status)
        }
    }

    @Test func boundsTheNumberOfParts() throws {
        let message = Array((String(repeating: "--b\r\n\r\n\r\n", count: 3) + "--b--").utf8)
        for (limit, status) in [(3, nil), (2, 413)] as [(Int, Int?)] {
            let error = refusal { () throws(CouchError) in
                _ = try read(message, boundary: "b", limits: MultipartLimits(parts: limit))
            }
            #expect(error?.status == status)
        }
    }

    /// After an error nothing is handed out any more.
    @Test func staysFailed() throws {
        var reader = MultipartReader(boundary: try MultipartBoundary("b"))
        var collector = PartCollector()
        for text in ["--b\r\n\r\nx\r\n--b?", "\r\n\r\ny\r\n--b--", "--b--"] {
            let error = refusal { () throws(CouchError) in
                try unsafe reader.push(Array(text.utf8).span.bytes, to: &collector)
            }
            #expect(error?.status == 400)
        }
        #expect(refusal { () throws(CouchError) in try reader.finish() }?.status == 400)
        #expect(collector.text == ["x"] && !collector.hasEnded)
    }

    private struct Refuser: MultipartHandler {
        var calls = 0
        mutating func partBegins(_ headers: MultipartHeaders) throws(CouchError) { calls += 1 }
        mutating func content(_ bytes: RawSpan) throws(CouchError) {
            calls += 1
            throw .conflict
        }
        mutating func partEnds() throws(CouchError) { calls += 1 }
        mutating func messageEnds() throws(CouchError) { calls += 1 }
    }

    @Test func passesOnTheHandlersError() throws {
        var reader = MultipartReader(boundary: try MultipartBoundary("b"))
        var refuser = Refuser()
        let bytes = Array("--b\r\n\r\nx\r\n--b--".utf8)
        let error = refusal { () throws(CouchError) in try unsafe reader.push(bytes.span.bytes, to: &refuser) }
        #expect(error == .conflict)
        #expect(refusal { () throws(CouchError) in try unsafe reader.push(bytes.span.bytes, to: &refuser) } != nil)
        #expect(refuser.calls == 2)
    }

    /// Nothing may trap, and whatever is accepted is accepted in other pieces, too.
    @Test(arguments: 0..<20) func survivesDamage(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        for _ in 0..<50 {
            var message = Array(MultipartReaderTests.couch.utf8)
            for _ in 0...generator.below(3) {
                let place = generator.below(message.count)
                switch generator.below(3) {
                case 0: message[place] = UInt8.random(in: 0...255, using: &generator)
                case 1: message.remove(at: place)
                default: message.insert("\r\n-a:;".utf8.randomElement(using: &generator) ?? 0, at: place)
                }
            }
            let lengths = (0..<message.count).map { _ in generator.below(9) }
            let whole = try? read(message, boundary: "abc")
            let cut = try? read(message, boundary: "abc", lengths: lengths)
            #expect(whole?.parts == cut?.parts, "seed \(seed)")
            #expect(whole?.misplaced ?? 0 == 0 && cut?.misplaced ?? 0 == 0, "seed \(seed)")
        }
    }
}
