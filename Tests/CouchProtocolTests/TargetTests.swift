internal import SetteeCouchProtocol
internal import StorageConformance
internal import Testing

@Suite struct TargetTests {
    @Test(
        arguments: [
            ("/", [], []), ("*", [], []), ("//", [], []), ("/db", ["db"], []), ("/db/", ["db"], []),
            ("//db///a", ["db", "a"], []), ("/db/a%2Fb", ["db", "a/b"], []),
            (
                "/db/_design%2Fd/_view/v",
                [
                    "db", "_design/d", "_view", "v",
                ], []
            ),
            ("/a+b%2B", ["a+b+"], []), ("/%E2%82%AC/\u{20AC}", ["\u{20AC}", "\u{20AC}"], []),
            ("/.././%2e", ["..", ".", "."], []),
            ("http://h:5984/db?a=b", ["db"], [("a", "b")]), ("HTTPS://h", [], []), ("http://h?a=1", [], [("a", "1")]),
            ("/?", [], []), ("/?a", [], [("a", "")]), ("/?a=", [], [("a", "")]), ("/?=b", [], []),
            ("/?&&a=1&&", [], [("a", "1")]),
            ("/?a=b=c", [], [("a", "b=c")]), ("/?a+b=c+d%2B", [], [("a b", "c d+")]),
            ("/?a=1&a=2", [], [("a", "1"), ("a", "2")]),
            ("/?key=%22x%26y%22", [], [("key", "\"x&y\"")]), ("/?a=b;c=d", [], [("a", "b;c=d")]),
            ("/?a=/?", [], [("a", "/?")]),
            // As PouchDB 9 sends them.
            (
                "/db/_changes?timeout=600000&style=all_docs&feed=longpoll&heartbeat=10000&since=12-g1AAAA&limit=100",
                ["db", "_changes"],
                [
                    ("timeout", "600000"), ("style", "all_docs"), ("feed", "longpoll"), ("heartbeat", "10000"),
                    ("since", "12-g1AAAA"), ("limit", "100"),
                ]
            ),
            (
                "/db/doc%2F1?revs=true&open_revs=%5B%221-a%22%2C%222-b%22%5D",
                ["db", "doc/1"],
                [("revs", "true"), ("open_revs", "[\"1-a\",\"2-b\"]")]
            ),
        ] as [(String, [String], [(String, String)])]
    )
    func reads(text: String, segments: [String], query: [(String, String)]) throws {
        let target = try RequestTarget(text)
        #expect(target.segments == segments.map { TargetText($0) })
        #expect(target.query == query.map { QueryItem($0.0, $0.1) })
        // What is written is read as the same.
        #expect(try RequestTarget(target.text) == target)
    }

    @Test(arguments: [
        "", "db", "?a=b", "/%", "/%2", "/%2g", "/%g2", "/a%2Fb%", "/%FF", "/%C3", "/%ED%A0%80", "/?a=%", "/?%zz",
        "/?a=%FF",
        "/a b", "/a\tb", "/a\r\nb", "/a\u{0}", "/a\u{7F}", "/a#b", "ftp://h/a", "/?a=b c", "**", "http:/a",
    ])
    func refuses(text: String) {
        let error = refusal { () throws(CouchError) in _ = try RequestTarget(text) }
        #expect(error?.status == 400 && error?.error == "bad_request")
    }

    @Test func boundsAllItReads() throws {
        let limits = TargetLimits(bytes: 20, segments: 3, items: 2)
        for (text, status) in [
            ("/" + String(repeating: "a", count: 19), nil), ("/" + String(repeating: "a", count: 20), 414),
            ("/a/b/c", nil), ("/a/b/c/d", 400), ("/?a&b", nil), ("/?a&b&c", 400),
        ] as [(String, Int?)] {
            #expect(refusal { () throws(CouchError) in _ = try RequestTarget(text, limits: limits) }?.status == status)
        }
    }

    @Test func comparesBytes() throws {
        let composed = try RequestTarget("/%C3%A9?%C3%A9=x")
        let decomposed = try RequestTarget("/e%CC%81?e%CC%81=x")
        #expect(composed.segments != decomposed.segments && composed.query != decomposed.query)
        #expect(Set(composed.segments + decomposed.segments).count == 2)
        #expect(composed.segments == ["\u{e9}"])
    }

    @Test func writesWhatClientsSend() {
        let target = RequestTarget(
            segments: ["db", "a/b", "\u{20AC} +%"],
            query: [QueryItem("key", "\"a b&\""), QueryItem("x", "")]
        )
        #expect(target.text == "/db/a%2Fb/%E2%82%AC%20%2B%25?key=%22a%20b%26%22&x=")
        #expect(RequestTarget(segments: []).text == "/")
    }

    @Test(arguments: 0..<20) func readsBackAnyText(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        func text(_ generator: inout SeededGenerator) -> String {
            "x" + String(decoding: generator.bytes(generator.below(12)), as: UTF8.self)
        }
        for _ in 0..<100 {
            let target = RequestTarget(
                segments: (0..<generator.below(5)).map { _ in TargetText(text(&generator)) },
                query: (0..<generator.below(5)).map { _ in QueryItem(text(&generator), text(&generator)) }
            )
            #expect(try RequestTarget(target.text) == target, "seed \(seed)")
        }
    }

    @Test(arguments: 0..<20) func survivesAnyText(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        for _ in 0..<500 {
            let letters = Array("/?&=%+2Fé*h#".utf8)
            let bytes = (0..<generator.below(20)).map { _ in letters[generator.below(letters.count)] }
            guard let target = try? RequestTarget("/" + String(decoding: bytes, as: UTF8.self)) else { continue }
            #expect((try? RequestTarget(target.text)) == target, "seed \(seed)")
        }
    }
}
