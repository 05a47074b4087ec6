internal import SetteeCouchProtocol
internal import SetteeDocumentValues
internal import StorageProtocol
internal import Testing

@Suite struct ChangesOptionsTests {
    /// As PouchDB 9's adapter for HTTP sends them.
    @Test func readsWhatPouchDBSends() throws {
        let query =
            "timeout=600000&conflicts=true&include_docs=true&attachments=true&style=all_docs&feed=longpoll"
            + "&heartbeat=10000&since=12-g1AAAA&limit=25&seq_interval=25&filter=app%2Fby_owner&unknown=%7B"
        let read = try ChangesOptions(options(query))
        #expect(read.timeout == 600_000 && read.heartbeat == 10_000 && read.limit == 25 && read.sequenceInterval == 25)
        #expect(read.includesConflicts && read.includesDocuments && read.includesAttachments)
        #expect(read.style == .allDocuments && read.feed == .longpoll && read.since == .sequence(12))
        #expect(read.filter == "app/by_owner" && !read.isDescending && read.view == nil && read.documentIDs == nil)
    }

    @Test func hasCouchDBsDefaults() throws {
        let read = try ChangesOptions(options(""))
        #expect(read.feed == .normal && read.since == .sequence(0) && read.style == .mainOnly && read.limit == nil)
        #expect(!read.isDescending && read.filter == nil && read.selector == nil && read.sequenceInterval == nil)
        #expect(!read.includesDocuments && !read.includesAttachments && !read.includesConflicts && !read.isActiveOnly)
        #expect(!read.includesEncodingInfo && read.heartbeat == nil && read.timeout == nil)
    }

    @Test func readsABody() throws {
        let body: JSONObject = [
            "doc_ids": ["a", "_bad", "\u{e9}", ""], "since": 7, "limit": 3, "feed": "continuous", "heartbeat": true,
            "selector": ["a": 1], "active_only": true, "descending": true, "att_encoding_info": true,
        ]
        let read = try ChangesOptions(options("filter=_doc_ids&view=d%2Fv", body: body))
        #expect(read.documentIDs == ["a", "\u{e9}"])
        #expect(read.since == .sequence(7) && read.limit == 3 && read.feed == .continuous)
        #expect(read.heartbeat == ChangesOptions.defaultHeartbeat && read.selector == ["a": 1])
        #expect(read.isActiveOnly && read.isDescending && read.includesEncodingInfo && read.view == "d/v")
        #expect(try ChangesOptions(options("doc_ids=%5B%22x%22%5D&active_only=false")).documentIDs == ["x"])
    }

    @Test(
        arguments: [
            ("0", .sequence(0)), ("now", .now), ("\"now\"", .now), ("\"12\"", .sequence(12)), ("12-", .sequence(12)),
            ("12-g1AAA-x", .sequence(12)), ("\"12-g1AAA\"", .sequence(12)), ("18446744073709551615", .sequence(.max)),
            ("99999999999999999999", .sequence(.max)),
        ] as [(String, ChangesSince)]
    )
    func readsSequences(text: String, since: ChangesSince) throws {
        #expect(try ChangesSince(text) == since)
        #expect(try ChangesOptions(RequestOptions(query: [QueryItem("since", text)])).since == since)
        #expect(try ChangesOptions(RequestOptions(query: [], body: ["since": .string(text)])).since == since)
    }

    @Test(arguments: ["", "-", "-1", "x", "\"\"", "\"", "\"1", "1\"", "1.5", "Now", "g1AAA-1", " 1", "[1]"])
    func refusesSequences(text: String) {
        let error = refusal { () throws(CouchError) in
            _ = try ChangesOptions(RequestOptions(query: [QueryItem("since", text)]))
        }
        #expect(error == CouchError(400, "bad_request", "Malformed sequence supplied in 'since' parameter."))
    }

    @Test func refusesNegativeSequences() {
        let error = refusal { () throws(CouchError) in _ = try ChangesOptions(options("", body: ["since": -1])) }
        #expect(error?.status == 400)
    }

    /// A browser that connects again repeats the last event's ID, which counts more.
    @Test func prefersTheLastEvent() throws {
        let read = try ChangesOptions(options("since=1&last-event-id=5&feed=eventsource"))
        #expect(read.since == .sequence(5) && read.feed == .eventsource)
        #expect(try ChangesOptions(options("feed=live")).feed == .continuous)
    }

    @Test(arguments: [
        ("feed=x", "bad_request", "Supported `feed` types: normal, continuous, live, longpoll, eventsource"),
        ("style=x", "query_parse_error", "Invalid value for `style`."),
        ("limit=x", "query_parse_error", "Invalid value for integer: \"x\""),
        ("limit=-1", "query_parse_error", "Invalid value for positive integer: \"-1\""),
        ("timeout=x", "query_parse_error", "Invalid value for integer: \"x\""),
        ("descending=1", "query_parse_error", "Invalid boolean parameter: \"1\""),
        ("include_docs=", "query_parse_error", "Invalid boolean parameter: \"\""),
        ("seq_interval=0", "bad_request", "invalid_seq_interval"),
        ("seq_interval=x", "query_parse_error", "Invalid value for integer: \"x\""),
        (
            "heartbeat=x", "bad_request",
            "Invalid heartbeat value. Expecting a positive integer value (in milliseconds)."
        ),
        (
            "heartbeat=-5", "bad_request",
            "Invalid heartbeat value. Expecting a positive integer value (in milliseconds)."
        ),
        ("heartbeat=0", "bad_request", "The heartbeat value should be a positive integer (in milliseconds)."),
        ("doc_ids=%22a%22", "bad_request", "`doc_ids` filter parameter is not a list of doc ids."),
        ("doc_ids=[1]", "bad_request", "`doc_ids` filter parameter is not a list of doc ids."),
        ("doc_ids=[", "bad_request", "invalid UTF-8 JSON"),
        ("selector=x", "bad_request", "invalid UTF-8 JSON"),
    ])
    func refuses(query: String, error: String, reason: String) {
        let refused = refusal { () throws(CouchError) in _ = try ChangesOptions(options(query)) }
        #expect(refused == CouchError(400, error, reason))
    }

    @Test func readsHeartbeats() throws {
        #expect(try ChangesOptions(options("heartbeat=true")).heartbeat == 60_000)
        #expect(try ChangesOptions(options("heartbeat=1")).heartbeat == 1)
        #expect(try ChangesOptions(options("heartbeat=false")).heartbeat == nil)
    }
}
