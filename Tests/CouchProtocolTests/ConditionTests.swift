internal import SetteeCouchProtocol
internal import Testing

@Suite struct ConditionTests {
    @Test(
        arguments: [
            ("*", .any), (" * ", .any), ("\"a\"", .tags([EntityTag("a")])),
            ("W/\"a\"", .tags([EntityTag("a", isWeak: true)])),
            ("\"a\", \"b\"", .tags([EntityTag("a"), EntityTag("b")])),
            (
                "\"a,b\",W/\"\"",
                .tags([
                    EntityTag("a,b"), EntityTag("", isWeak: true),
                ])
            ),
            ("1-abc", .tags([EntityTag("1-abc")])), (",, \"a\" ,,", .tags([EntityTag("a")])),
            ("a, b", .tags([EntityTag("a"), EntityTag("b")])), ("\"W/\"", .tags([EntityTag("W/")])),
        ] as [(String, EntityTagCondition)]
    )
    func reads(header: String, condition: EntityTagCondition) throws {
        #expect(try EntityTagCondition(header: header) == condition)
    }

    @Test(arguments: [
        "", " ", ",", "\"a", "\"", "W/\"a", "w/\"a\"", "a\"b\"", "\"a\" \"b\"", "\"a\"b", "a b", "\"\u{1}\"",
    ])
    func refuses(header: String) {
        #expect(refusal { () throws(CouchError) in _ = try EntityTagCondition(header: header) }?.status == 400)
    }

    @Test func matches() throws {
        let strong = EntityTag("1-a")
        let weak = EntityTag("1-a", isWeak: true)
        // Header, and whether the strong and the weak tag match weakly and strongly.
        for (header, expected) in [
            ("*", [true, true, true, true]), ("\"x\", \"1-a\"", [true, true, true, false]),
            ("W/\"1-a\"", [true, true, false, false]), ("\"1-b\"", [false, false, false, false]),
            ("1-a", [true, true, true, false]),
        ] {
            let condition = try EntityTagCondition(header: header)
            #expect(
                expected == [
                    condition.matchesWeakly(strong), condition.matchesWeakly(weak), condition.matchesStrongly(strong),
                    condition.matchesStrongly(weak),
                ]
            )
        }
        #expect(EntityTag("\u{e9}") != EntityTag("e\u{301}"))
    }

    @Test func writesTagsThatReadersTake() throws {
        for (tag, header) in [
            (EntityTag("1-a"), "\"1-a\""), (EntityTag("x", isWeak: true), "W/\"x\""),
            (EntityTag("a\"b\r\nc d"), "\"a_b__c_d\""),
        ] {
            #expect(tag.header == header)
            #expect(try EntityTagCondition(header: tag.header) == .tags([tag]))
        }
    }

    @Test(
        arguments: [
            ("bytes=0-0", 0, 0), ("bytes=2-5", 2, 5), ("bytes=2-", 2, 9), ("bytes=-3", 7, 9), ("bytes=-10", 0, 9),
            ("bytes=-11", 0, 9), ("bytes=9-", 9, 9), ("bytes=5-100", 5, 9), ("BYTES= 2-5 ", 2, 5),
            ("bytes=0-99999999999999999999999", 0, 9), ("bytes=-99999999999999999999999", 0, 9),
        ] as [(String, UInt64, UInt64)]
    )
    func readsRanges(header: String, first: UInt64, last: UInt64) throws {
        let range = try #require(try ByteRange.requested(header, of: 10))
        #expect(range.first == first && range.last == last && range.count == last - first + 1)
        #expect(range.contentRange(of: 10) == "bytes \(first)-\(last)/10")
    }

    @Test(arguments: [
        "", "bytes", "bytes=", "bytes=-", "bytes=0-", "bytes=a-b", "bytes=1-2,4-5", "bytes=1-2, 4-5", "items=0-1",
        "bytes=--1", "bytes=1-2-3", "bytes 0-1", "bytes=+1-2", "bytes=0x1-2",
    ])
    func ignoresOtherRanges(header: String) throws {
        #expect(try ByteRange.requested(header, of: 10) == nil)
    }

    @Test(
        arguments: [
            ("bytes=10-", 10), ("bytes=10-12", 10), ("bytes=-0", 10), ("bytes=0-0", 0), ("bytes=5-2", 10),
            (
                "bytes=99999999999999999999999-", 10
            ),
        ] as [(String, UInt64)]
    )
    func refusesRangesBehindTheEnd(header: String, length: UInt64) {
        let error = refusal { () throws(CouchError) in _ = try ByteRange.requested(header, of: length) }
        #expect(error == .rangeNotSatisfiable && error?.status == 416)
    }

    @Test func readsRangesOfEdges() throws {
        #expect(try ByteRange.requested("bytes=-5", of: 0) == nil)
        #expect(try ByteRange.requested("bytes=0-18446744073709551615", of: .max)?.count == .max)
        #expect(ByteRange.unsatisfied(length: 7) == "bytes */7")
    }
}
