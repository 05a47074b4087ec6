internal import SetteeCouchProtocol
internal import SetteeDocumentValues
internal import StorageProtocol
internal import Testing

@Suite struct DocumentOptionsTests {
    /// As CouchDB's replicator asks for revisions (`open_doc_revs` in src/couch_replicator).
    @Test func readsWhatCouchDBSends() throws {
        let query =
            "revs=true&open_revs=%5B%223-c%22%2C%222-b%22%5D&latest=true&atts_since=%5B%221-a%22%5D&r=1&unknown"
        let read = try DocumentOptions(options(query))
        #expect(read.includesHistory && read.isLatest && !read.includesAttachments && read.revision == nil)
        #expect(read.openRevisions == .list([try RevisionID("3-c"), try RevisionID("2-b")]))
        #expect(read.attachmentsSince == [try RevisionID("1-a")])
    }

    @Test func readsAllRevisions() throws {
        #expect(try DocumentOptions(options("open_revs=all")).openRevisions == .all)
        #expect(try DocumentOptions(options("open_revs=[]")).openRevisions == .list([]))
        #expect(try DocumentOptions(options("", body: ["open_revs": "all"])).openRevisions == .all)
        #expect(
            try DocumentOptions(options("", body: ["open_revs": ["1-a"]])).openRevisions == .list([RevisionID("1-a")])
        )
    }

    /// Each flag sets what it names, `meta` sets three.
    @Test(arguments: [
        ("", ""), ("revs", "h"), ("revs_info", "i"), ("conflicts", "c"), ("deleted_conflicts", "d"), ("local_seq", "s"),
        ("attachments", "a"), ("att_encoding_info", "e"), ("show_exp", "x"), ("meta", "icd"), ("latest", "l"),
    ])
    func readsFlags(name: String, expected: String) throws {
        for (value, set) in [("true", expected), ("false", "")] {
            let read = try DocumentOptions(options(name.isEmpty ? "" : "\(name)=\(value)"))
            let flags: [(String, Bool)] = [
                ("h", read.includesHistory), ("i", read.includesHistoryInfo), ("c", read.includesConflicts),
                ("d", read.includesDeletedConflicts), ("s", read.includesSequence), ("a", read.includesAttachments),
                ("e", read.includesEncodingInfo), ("x", read.includesExpiry), ("l", read.isLatest),
            ]
            #expect(flags.filter(\.1).map(\.0).joined() == set)
            #expect(read.includesMetadata == !(set.isEmpty || set == "l"))
        }
    }

    @Test(arguments: [
        ("rev=x", "bad_request", "Invalid rev format"), ("open_revs=1", "bad_request", "Invalid list of revisions"),
        ("open_revs=any", "bad_request", "invalid UTF-8 JSON"), ("atts_since=all", "bad_request", "invalid UTF-8 JSON"),
        ("open_revs=[%22x%22]", "bad_request", "Invalid rev format"),
        ("revs=x", "query_parse_error", "Invalid boolean parameter: \"x\""),
        ("meta=1", "query_parse_error", "Invalid boolean parameter: \"1\""),
    ])
    func refuses(query: String, error: String, reason: String) {
        let refused = refusal { () throws(CouchError) in _ = try DocumentOptions(options(query)) }
        #expect(refused == CouchError(400, error, reason))
    }

    @Test func readsWrites() throws {
        let read = try WriteOptions(options("rev=1-a&new_edits=false&batch=ok&w=2"))
        #expect(try read.revision == RevisionID("1-a") && !read.makesRevisions && read.isBatched && read.copies == 2)
        let plain = try WriteOptions(options("batch=no"))
        #expect(plain.revision == nil && plain.makesRevisions && !plain.isBatched && plain.copies == nil)
        #expect(try !WriteOptions(options("", body: ["new_edits": false])).makesRevisions)
        #expect(try WriteOptions(options("rev=0-3")).revision == RevisionID("3-local"))
        for query in ["rev=1", "new_edits=x", "w=x"] {
            #expect(refusal { () throws(CouchError) in _ = try WriteOptions(options(query)) }?.status == 400)
        }
    }

    @Test(
        arguments: [
            ("", nil, nil), ("", "\"1-a\"", "1-a"), ("", "1-a", "1-a"), ("rev=1-a", nil, "1-a"),
            ("rev=1-a", "\"1-a\"", "1-a"),
            ("rev=1-a", "*", "1-a"), ("", "*", nil), ("", "\"0-2\"", "2-local"),
        ] as [(String, String?, String?)]
    )
    func takesTheParentFromTheHeader(query: String, header: String?, expected: String?) throws {
        var write = try WriteOptions(options(query))
        try write.require(ifMatch: header)
        #expect(write.revision?.string == expected)
    }

    @Test(arguments: [
        ("rev=1-a", "\"1-b\"", "Document rev and etag have different values"), ("", "W/\"1-a\"", "Invalid rev format"),
        ("", "\"1-a\", \"1-b\"", "Invalid rev format"), ("", "\"x\"", "Invalid rev format"),
        ("", "", "An entity tag is malformed."),
    ])
    func refusesHeaders(query: String, header: String, reason: String) throws {
        var write = try WriteOptions(options(query))
        let before = write.revision
        let error = refusal { () throws(CouchError) in try write.require(ifMatch: header) }
        #expect(error == CouchError(400, "bad_request", reason))
        #expect(write.revision == before)
    }
}
