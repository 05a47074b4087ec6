internal import SetteeCouchProtocol
internal import Testing

@Suite struct MultipartReaderTests {
    /// As CouchDB sends a document with two attachments.
    static let couch =
        "--abc\r\nContent-Type: application/json\r\n\r\n{\"_id\":\"d\"}\r\n--abc\r\nContent-Disposition: attachment; "
        + "filename=\"a.txt\"\r\nContent-Type: text/plain\r\nContent-Length: 5\r\n\r\nhello\r\n--abc\r\n"
        + "Content-Disposition: attachment; filename=\"b.bin\"\r\nContent-Type: application/octet-stream\r\n"
        + "Content-Length: 4\r\nContent-Encoding: gzip\r\n\r\n\u{1}\r\n-\r\n--abc--"

    static func checkCouch(_ collector: PartCollector) throws {
        #expect(collector.text == ["{\"_id\":\"d\"}", "hello", "\u{1}\r\n-"])
        #expect(collector.parts.map(\.headers).first == [["content-type", "application/json"]])
        #expect(
            collector.parts.last?.headers == [
                ["content-disposition", "attachment; filename=\"b.bin\""],
                ["content-type", "application/octet-stream"], ["content-length", "4"], ["content-encoding", "gzip"],
            ]
        )
        #expect(collector.hasEnded && !collector.isInside && collector.misplaced == 0)
    }

    @Test func readsWhatCouchDBSends() throws { try Self.checkCouch(read(Self.couch, boundary: "abc")) }

    @Test func readsAtEverySplit() throws {
        for split in 0...Self.couch.utf8.count {
            try Self.checkCouch(read(Self.couch, boundary: "abc", lengths: [split]))
        }
    }

    @Test(arguments: 1...9) func readsInPiecesOf(length: Int) throws {
        let lengths = Array(repeating: length, count: Self.couch.utf8.count)
        try Self.checkCouch(read(Self.couch, boundary: "abc", lengths: lengths))
    }

    @Test(
        arguments: [
            // What it says, and the contents it has.
            ("--b--", []),
            ("--b--\r\n", []),
            ("preamble\r\nof lines\r\n--b\r\n\r\nx\r\n--b--epilogue\r\n--b\r\n\r\ny\r\n--b--", ["x"]),
            ("\r\n--b\r\n\r\nx\r\n--b--\r\n", ["x"]),
            ("not--b\r\n--b\r\n\r\nx\r\n--b--", ["x"]),
            ("--b \t\r\nA: 1\r\n\r\nx\r\n--b  \t \r\n\r\ny\r\n--b-- \r\n", ["x", "y"]),
            // No content, with and without a line end of its own; no headers.
            ("--b\r\n\r\n\r\n--b--", [""]),
            ("--b\r\nA: 1\r\n\r\n--b--", [""]),
            ("--b\r\n\r\n--b\r\n\r\n--b--", ["", ""]),
            // Line ends, and what looks like a boundary, in the content.
            ("--b\r\n\r\n\r\n\r\n--b--", ["\r\n"]),
            ("--b\r\n\r\n\r\n-\r\n--b--", ["\r\n-"]),
            ("--b\r\n\r\n\r\r\n\r\r\n--b--", ["\r\r\n\r"]),
            ("--b\r\n\r\n\n--b\n--b--\n\r\n--b--", ["\n--b\n--b--\n"]),
            ("--b\r\n\r\n\r\n--a\r\n--\r\n--b--", ["\r\n--a\r\n--"]),
            ("--b\r\n\r\n--a\r\n--b--", ["--a"]),
            ("--b\r\n\r\n-\r\n--b--", ["-"]),
        ] as [(String, [String])]
    )
    func readsContents(message: String, contents: [String]) throws {
        for split in 0...message.utf8.count {
            let collector = try read(message, boundary: "b", lengths: [split])
            #expect(collector.text == contents, "split at \(split)")
            #expect(collector.hasEnded && collector.misplaced == 0)
        }
        let collector = try read(message, boundary: "b", lengths: Array(repeating: 1, count: message.utf8.count))
        #expect(collector.text == contents)
    }

    @Test func readsHeadersInAnyCase() throws {
        let message = "--b\r\nCONTENT-Type:text/plain\r\nX-é: 1\r\n\r\n\r\n--b--"
        #expect(refusal { () throws(CouchError) in _ = try read(message, boundary: "b") }?.status == 400)
        var headers = MultipartHeaders()
        try headers.append("X-Doc-Id", "\u{e9}")
        #expect(headers["x-doc-ID"] == "\u{e9}" && headers["x-rev-id"] == nil)
        let collector = try read(
            "--b\r\nCONTENT-Type:\t text/plain \r\nX-Doc-Id:e\u{301}\r\n\r\n\r\n--b--",
            boundary: "b"
        )
        #expect(collector.parts.first?.headers.first == ["content-type", "text/plain"])
        #expect(collector.parts.first?.headers.last?.last.map { Array($0.utf8) } == Array("e\u{301}".utf8))
    }

    /// What comes may be a boundary, so that it is kept; more is not.
    @Test func keepsBackNoMoreThanABoundary() throws {
        let message = Array(("--bound\r\n\r\n" + String(repeating: "\r\n--boun\r\r\n-x", count: 50)).utf8)
        var reader = MultipartReader(boundary: try MultipartBoundary("bound"))
        var collector = PartCollector()
        for place in message.indices {
            try unsafe reader.push(message.span.bytes.extracting(place..<place + 1), to: &collector)
            let read = place + 1 - "--bound\r\n\r\n".utf8.count
            #expect((collector.parts.first?.content.count ?? 0) > read - "\r\n--bound".utf8.count)
        }
    }

    /// The number of calls does not grow with what looks like boundaries.
    @Test func passesNearBoundariesOnInOnePiece() throws {
        let content = String(repeating: "\r\n--boun\r\r\n--bounc", count: 10_000)
        let collector = try read("--bound\r\n\r\n\(content)\r\n--bound--", boundary: "bound")
        #expect(collector.text == [content])
        #expect(collector.pieces == 1)
    }

    @Test func skipsWhatFollowsTheEnd() throws {
        var reader = MultipartReader(boundary: try MultipartBoundary("b"))
        var collector = PartCollector()
        #expect(refusal { () throws(CouchError) in try reader.finish() }?.status == 400)
        try unsafe reader.push(Array("--b\r\n\r\nx\r\n--b--".utf8).span.bytes, to: &collector)
        #expect(reader.isAtEnd)
        let before = collector.parts
        try unsafe reader.push(Array("\r\n--b\r\nbad\r\n--b--".utf8).span.bytes, to: &collector)
        try reader.finish()
        #expect(collector.parts == before && collector.misplaced == 0)
    }
}
