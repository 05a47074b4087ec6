internal import SetteeCouchProtocol
internal import StorageConformance
internal import Testing

@Suite struct MultipartWriterTests {
    @Test func writesWhatCouchDBWrites() throws {
        let boundary = try MultipartBoundary("abc")
        var writer = MultipartWriter(boundary: boundary)
        var message = writer.head(.json) + Array("{\"_id\":\"d\"}".utf8)
        message += writer.head(try .attachment("a.txt", contentType: "text/plain", length: 5)) + Array("hello".utf8)
        message += writer.head(
            try .attachment("b.bin", contentType: "application/octet-stream", length: 4, coding: .gzip)
        )
        message += [1, 13, 10, 45] + writer.end()
        #expect(String(decoding: message, as: UTF8.self) == MultipartReaderTests.couch)
        #expect(boundary.contentType("related") == "multipart/related; boundary=\"abc\"")
    }

    @Test func writesAnEmptyMessage() throws {
        var writer = MultipartWriter(boundary: try MultipartBoundary("abc"))
        #expect(writer.end() == Array("--abc--".utf8))
    }

    @Test func countsNothingBeyondAllNumbers() throws {
        let boundary = try MultipartBoundary("abc")
        let huge: [(headers: MultipartHeaders, length: UInt64)] = [(.json, .max)]
        #expect(MultipartWriter.length(boundary: boundary, parts: huge) == nil)
        let head = "--abc\r\nContent-Type: application/json\r\n\r\n".utf8.count
        let most = UInt64.max - UInt64(head + "\r\n--abc--".utf8.count)
        #expect(MultipartWriter.length(boundary: boundary, parts: [(.json, most)]) == .max)
        #expect(MultipartWriter.length(boundary: boundary, parts: [(.json, most + 1)]) == nil)
    }

    @Test(arguments: [
        ("A", "x\r\nB: y"), ("A", "x\n"), ("A", "\r"), ("A", "\u{0}"), ("A\r\nB", "x"), ("A:", "x"), ("", "x"),
        ("A ", "x"), ("\u{e9}", "x"), ("Content-TYPE", "x"),
    ])
    func refusesHeaders(name: String, value: String) {
        let error = refusal { () throws(CouchError) in
            var headers = MultipartHeaders.json
            try headers.append(name, value)
        }
        #expect(error?.status == 400)
    }

    @Test func refusesContentTypesWithLines() {
        let error = refusal { () throws(CouchError) in
            _ = try MultipartHeaders.attachment("a", contentType: "text/plain\r\nX: y", length: 0)
        }
        #expect(error?.status == 400)
    }

    @Test func makesTheSameBoundaryFromOneSeed() throws {
        var a = SeededGenerator(seed: 1)
        var b = SeededGenerator(seed: 1)
        let first = MultipartBoundary(using: &a)
        #expect(first == MultipartBoundary(using: &b))
        #expect(first != MultipartBoundary(using: &a))
        #expect(first.text.utf8.count == 32)
        #expect(first == (try MultipartBoundary(contentType: first.contentType("mixed"))))
    }

    @Test(arguments: [
        ("multipart/related; boundary=abc", "abc"), ("multipart/related; boundary=\"abc\"", "abc"),
        ("Multipart/Mixed; type=x; BOUNDARY=abc", "abc"), ("multipart/related;boundary=a:b=c/d?", "a:b=c/d?"),
        ("multipart/related; boundary=\"a b\"", "a b"), ("multipart/related; boundary=\"a\\+b\"", "a+b"),
        ("multipart/related; boundary = abc ; x=y", "abc"), ("multipart/related; boundary=--0a1b", "--0a1b"),
        ("multipart/x; boundary=" + String(repeating: "x", count: 70), String(repeating: "x", count: 70)),
    ])
    func readsBoundaries(header: String, boundary: String) throws {
        #expect(try MultipartBoundary(contentType: header).text == boundary)
    }

    @Test(arguments: [
        "multipart/related", "multipart/related; boundary=", "multipart/related; boundary=\"\"", "",
        "application/json; boundary=abc", "multipart/related; boundary=\"abc", "multipart/related; boundary=\"abc \"",
        "multipart/related; boundary=a b", "multipart/related; boundary=\"a\u{e9}\"", "multipart/x; boundary=a\"b",
        "multipart/related; boundary=\"a*\"", "multipart/x; boundary=a; boundary=b", "multipart/x; boundary=\"a\\",
        "multipart/x; boundary=" + String(repeating: "x", count: 71), "multipart/x; boundary=\"a\r\nb\"",
        "multipart/x; =a", "multipart/x; boundary=\"a\"b",
    ])
    func refusesBoundaries(header: String) {
        #expect(refusal { () throws(CouchError) in _ = try MultipartBoundary(contentType: header) }?.status == 400)
    }
}
