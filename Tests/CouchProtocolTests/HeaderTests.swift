internal import SetteeCouchProtocol
internal import StorageConformance
internal import Testing

@Suite struct HeaderTests {
    @Test func readsParameters() throws {
        let header = try HeaderValue(" Text/Plain ; Charset=UTF-8; x=\"a;\\\"b\" ;; y = z; ")
        #expect(header.value == "text/plain")
        #expect(header.parameters.map(\.name) == ["charset", "x", "y"])
        #expect(header["charset"] == "UTF-8" && header["x"] == "a;\"b" && header["y"] == "z" && header["z"] == nil)
        #expect(try HeaderValue("").value == "")
    }

    @Test(arguments: ["a; b", "a; b=\"c", "a; b=c d", "a; =c", "a; b=c; B=d", "a; b=\"c\\", "a\n", "a; b=\"\u{1}\""])
    func refusesMalformedValues(text: String) {
        #expect(refusal { () throws(CouchError) in _ = try HeaderValue(text) }?.status == 400)
    }

    @Test(arguments: [
        ("a.txt", "attachment; filename=\"a.txt\""),
        ("a b;c", "attachment; filename=\"a b;c\""),
        ("caf\u{e9}", "attachment; filename=\"caf\u{e9}\""),
        ("a\"b", "attachment; filename=\"a_b\"; filename*=UTF-8''a%22b"),
        ("a\\", "attachment; filename=\"a_\"; filename*=UTF-8''a%5C"),
        ("a\r\nX: y", "attachment; filename=\"a__X: y\"; filename*=UTF-8''a%0D%0AX%3A%20y"),
        ("", "attachment; filename=\"\""),
    ])
    func writesFileNames(name: String, header: String) throws {
        #expect(Array(ContentDisposition.attachment(name).utf8) == Array(header.utf8))
        #expect(try ContentDisposition.fileName(header) == name)
    }

    @Test(arguments: 0..<10) func readsFileNamesBack(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        for _ in 0..<200 {
            let name = String(
                decoding: (0..<generator.below(12)).map { _ in
                    "a\"\\;=\r\n\t' %\u{7F}\u{e9}".utf8.randomElement(using: &generator) ?? 0
                },
                as: UTF8.self
            )
            let header = ContentDisposition.attachment(name)
            #expect(!header.utf8.contains { $0 < 0x20 || $0 == 0x7F })
            let read = try ContentDisposition.fileName(header)
            #expect(read.map { Array($0.utf8) } == Array(name.utf8), "seed \(seed)")
        }
    }

    @Test func readsOtherFormsOfFileNames() throws {
        #expect(try ContentDisposition.fileName("attachment; filename=plain.txt") == "plain.txt")
        #expect(try ContentDisposition.fileName("inline") == nil)
        #expect(try ContentDisposition.fileName("attachment; filename*=utf-8'en'%e2%82%ac; filename=x") == "\u{20AC}")
        for header in ["a; filename*=x", "a; filename*=latin-1''x", "a; filename*=UTF-8''%ff", "a; filename*=UTF-8''%"]
        {
            #expect(refusal { () throws(CouchError) in _ = try ContentDisposition.fileName(header) }?.status == 400)
        }
    }

    @Test(
        arguments: [
            (nil, .identity), ("", .identity), ("identity", .identity), ("gzip", .gzip), (" GZip ", .gzip),
            ("x-gzip", .gzip), ("deflate", .deflate), ("identity, gzip", .gzip),
        ] as [(String?, ContentCoding)]
    )
    func readsContentEncodings(header: String?, coding: ContentCoding) throws {
        #expect(try ContentCoding(header: header) == coding)
        #expect(coding.format == [.identity: nil, .gzip: .gzip, .deflate: .zlib][coding])
    }

    @Test(arguments: ["br", "gzip, gzip", "gzip, br", "zstd", "gzip;q=1", "x-deflate"])
    func refusesContentEncodings(header: String) {
        let error = refusal { () throws(CouchError) in _ = try ContentCoding(header: header) }
        #expect(error?.status == 415 && error?.error == "bad_content_type")
    }

    @Test(
        arguments: [
            (nil, false, true), ("gzip", true, true), ("gzip, deflate, br", true, true), ("x-gzip;q=0.5", true, true),
            ("gzip;q=0", false, true), ("gzip; q=0.000", false, true), ("*", true, true), ("*;q=0", false, false),
            ("gzip, *;q=0", true, false), ("*, gzip;q=0", false, true), ("identity;q=0", false, false),
            ("br", false, true),
            ("gzip;q=0.001", true, true), ("", false, true), ("gzippy", false, true),
        ] as [(String?, Bool, Bool)]
    )
    func readsAcceptedEncodings(header: String?, gzip: Bool, identity: Bool) {
        #expect(ContentCoding.gzip.isAccepted(by: header) == gzip)
        #expect(ContentCoding.identity.isAccepted(by: header) == identity)
    }
}
