internal import SetteeDocumentValues
internal import Testing

@testable internal import SetteeReplicator

@Suite("Rows of a feed in the usual form")
struct PlainChangeTests {
    private func read(_ text: String) -> ChangedDocument? {
        let bytes = Array(text.utf8)
        guard let (row, end) = PlainChange.read(bytes, from: 0), end == bytes.count else { return nil }
        return row
    }

    /// The rows of an answer that comes in pieces of `size` bytes, and what comes beside them.
    private func rows(_ text: String, size: Int, limit: Int = 1_000) throws -> ([ChangedDocument], JSONObject) {
        let bytes = Array(text.utf8)
        var rows = JSONRows(of: "results", limit: limit)
        var changes: [ChangedDocument] = []
        for start in stride(from: 0, to: bytes.count, by: size) {
            rows.append(Array(bytes[start..<min(start + size, bytes.count)]))
            while let change = try RemotePeer.change(&rows) { changes.append(change) }
        }
        return (changes, try rows.finish())
    }

    @Test("they are what the parser makes of them")
    func same() throws {
        for text in [
            #"{"seq":7,"id":"a","changes":[{"rev":"1-x"}]}"#, #"{"seq":0,"id":"_design/a","changes":[{"rev":"1-x"}]}"#,
            #"{"seq":"12-g1AAAAB","id":"a b","changes":[{"rev":"2-x"},{"rev":"2-w"}],"deleted":true}"#,
            #"{"seq":999999999999999999,"id":"","changes":[{"rev":""}]}"#,
        ] {
            let parsed = try rows(#"{"results":[ \#(text.replacing(":", with: ": "))]}"#, size: 10_000).0
            #expect(read(text) == parsed.first)
            #expect(parsed.count == 1)
        }
    }

    @Test(
        "a row in another form is left to the parser",
        arguments: [
            #"{"id":"a","seq":7,"changes":[{"rev":"1-x"}]}"#, #"{"seq": 7,"id":"a","changes":[{"rev":"1-x"}]}"#,
            #"{"seq":7,"id":"ä","changes":[{"rev":"1-x"}]}"#, #"{"seq":7,"id":"\u0061","changes":[{"rev":"1-x"}]}"#,
            #"{"seq":07,"id":"a","changes":[{"rev":"1-x"}]}"#, #"{"seq":,"id":"a","changes":[{"rev":"1-x"}]}"#,
            #"{"seq":9999999999999999999,"id":"a","changes":[{"rev":"1-x"}]}"#, #"{"seq":7,"id":"a","changes":[]}"#,
            #"{"seq":1.5,"id":"a","changes":[{"rev":"1-x"}]}"#, #"{"seq":[1],"id":"a","changes":[{"rev":"1-x"}]}"#,
            #"{"seq":7,"id":"a","changes":[{"rev":"1-x"}],"removed":["c"]}"#, #"{"seq":7,"id":"a"}"#, "",
            #"{"seq":7,"id":"a","changes":[{"rev":"1-x"},]}"#, #"{"seq":7,"id":"a","changes":[{"rev":"1-x"}]"#,
            "{\"seq\":7,\"id\":\"a\u{7f}\",\"changes\":[{\"rev\":\"1-x\"}]}",
            "{\"seq\":7,\"id\":\"a\n\",\"changes\":[{\"rev\":\"1-x\"}]}",
        ]
    )
    func left(text: String) {
        #expect(read(text) == nil)
    }

    @Test("both forms may follow each other, in pieces of any size")
    func pieces() throws {
        let text = """
            {"results":[
            {"seq":1,"id":"a","changes":[{"rev":"1-x"}]},
            {"id":"ä","seq":2,"changes":[{"rev":"1-y"}],"removed":["c"]},{"seq":3,"id":"a\\"b","changes":[{"rev":"1-z"}]},
            {"seq":4,"id":"d","changes":[{"rev":"2-b"},{"rev":"2-a"}],"deleted":true}
            ],
            "last_seq":4,"pending":0}
            """
        let (whole, rest) = try rows(text, size: text.utf8.count)
        #expect(whole.map(\.id) == ["a", "ä", "a\"b", "d"])
        #expect(whole.map(\.leaves) == [["1-x"], ["1-y"], ["1-z"], ["2-b", "2-a"]])
        #expect(whole.map(\.isDeleted) == [false, false, false, true])
        #expect(whole.map(\.isRemoved) == [false, true, false, false])
        #expect(rest["last_seq"] == 4)
        for size in 1...80 {
            let (some, end) = try rows(text, size: size)
            #expect(some == whole)
            #expect(JSONValue.object(end) == .object(rest))
        }
    }

    @Test("a row over the limit, a broken one and a cut answer are errors in either form")
    func errors() {
        let row = #"{"seq":1,"id":"a","changes":[{"rev":"1-x"}]}"#
        #expect(throws: PeerError.self) { try rows(#"{"results":[\#(row)]}"#, size: 1_000, limit: 20) }
        #expect(throws: PeerError.self) { try rows(#"{"results":[\#(row),{"seq":1}]}"#, size: 1_000) }
        #expect(throws: PeerError.self) { try rows(#"{"results":[\#(row),"#, size: 1_000) }
    }
}
