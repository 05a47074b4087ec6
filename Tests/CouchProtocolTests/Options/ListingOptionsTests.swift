internal import SetteeCouchProtocol
internal import SetteeDocumentValues
internal import Testing

@Suite struct ListingOptionsTests {
    @Test func readsAllFromAQuery() throws {
        let query =
            "start_key=%5B1%5D&endkey=%7B%7D&startkey_docid=a&end_key_doc_id=b&inclusive_end=false"
            + "&inclusive_start=false&limit=10&skip=2&descending=true&include_docs=true"
            + "&attachments=true&att_encoding_info=true&conflicts=true&update_seq=true"
            + "&reduce=false&group=true&group_level=2&update=lazy&include_deleted=true"
            + "&include_conflicts=true&only_conflicts=true&unknown=x"
        let read = try ListingOptions(options(query))
        #expect(read.startKey == [1] && read.endKey == [:] && read.key == nil && read.keys == nil)
        #expect(read.startDocumentID == "a" && read.endDocumentID == "b" && !read.includesStart && !read.includesEnd)
        #expect(read.limit == 10 && read.skip == 2 && read.isDescending && read.includesDocuments)
        #expect(
            read.includesAttachments && read.includesEncodingInfo && read.includesConflicts && read.includesSequence
        )
        #expect(read.reduces == false && read.groups && read.groupLevel == 2 && read.update == .after)
        #expect(read.includesDeleted && read.showsConflicts && read.onlyConflicts)
    }

    @Test func hasCouchDBsDefaults() throws {
        let read = try ListingOptions(options(""))
        #expect(read.key == nil && read.keys == nil && read.startKey == nil && read.endKey == nil)
        #expect(read.includesStart && read.includesEnd && read.limit == nil && read.skip == 0 && !read.isDescending)
        #expect(!read.includesDocuments && !read.includesAttachments && !read.includesConflicts && !read.groups)
        #expect(read.reduces == nil && read.groupLevel == nil && read.update == .before && !read.includesSequence)
        #expect(!read.includesDeleted && !read.showsConflicts && !read.onlyConflicts && !read.includesEncodingInfo)
    }

    @Test func readsKeys() throws {
        #expect(try ListingOptions(options("key=%22a%22")).key == "a")
        #expect(try ListingOptions(options("key=null")).key?.isNull == true)
        #expect(try ListingOptions(options("keys=[%22a%22,1]")).keys == ["a", 1])
        let body: JSONObject = ["keys": ["a", nil], "startkey": "text, not JSON", "descending": true, "limit": 0]
        let read = try ListingOptions(options("limit=5", body: body))
        #expect(read.keys == ["a", nil] && read.startKey == "text, not JSON" && read.isDescending && read.limit == 5)
    }

    @Test(
        arguments: [
            ("update=true", .before), ("update=false", .never), ("update=lazy", .after), ("stale=ok", .never),
            ("stale=update_after", .after), ("update=TRUE", .before), ("stale=ok&update=true", .before),
        ] as [(String, IndexUpdate)]
    )
    func readsUpdates(query: String, update: IndexUpdate) throws {
        #expect(try ListingOptions(options(query)).update == update)
    }

    @Test(arguments: [
        ("update=x", "query_parse_error", "Invalid value for `update`."),
        ("stale=x", "query_parse_error", "Invalid value for `stale`."),
        ("stale=true", "query_parse_error", "Invalid value for `stale`."),
        ("limit=x", "query_parse_error", "Invalid value for integer: \"x\""),
        ("skip=-1", "query_parse_error", "Invalid value for positive integer: \"-1\""),
        ("group_level=a", "query_parse_error", "Invalid value for integer: \"a\""),
        ("reduce=x", "query_parse_error", "Invalid boolean parameter: \"x\""),
        ("keys=1", "bad_request", "`keys` member must be an array."),
        ("key=a", "bad_request", "invalid UTF-8 JSON"), ("startkey=", "bad_request", "invalid UTF-8 JSON"),
        ("end_key=[", "bad_request", "invalid UTF-8 JSON"),
    ])
    func refuses(query: String, error: String, reason: String) {
        let refused = refusal { () throws(CouchError) in _ = try ListingOptions(options(query)) }
        #expect(refused == CouchError(400, error, reason))
    }
}
