import StorageProtocol
import Testing

/// How fields are named and found.
@Suite struct FieldTests {
    @Test func paths() throws {
        try Row.check([
            Row(#"{}"#, #"{"a":1}"#, true),
            Row(#"{}"#, #"{}"#, true),
            Row(#"{"a.b":1}"#, #"{"a":{"b":1}}"#, true),
            Row(#"{"a":{"b":1}}"#, #"{"a":{"b":1,"c":2}}"#, true),
            Row(#"{"a":{"b":1}}"#, #"{"a.b":1}"#, false),
            Row(#"{"a":{"b.c":1}}"#, #"{"a":{"b":{"c":1}}}"#, true),
            Row(#"{"a.b":{"c":1}}"#, #"{"a":{"b":{"c":1}}}"#, true),
            Row(#"{"a":{"b":{"c":{"$gt":1}}}}"#, #"{"a":{"b":{"c":2}}}"#, true),
            Row(#"{"a":{"b":1,"c":2}}"#, #"{"a":{"b":1,"c":2}}"#, true),
            Row(#"{"a":{"b":1,"c":2}}"#, #"{"a":{"b":1,"c":3}}"#, false),
            Row(#"{"a":{"b":1,"$type":"object"}}"#, #"{"a":{"b":1}}"#, true),
            Row(#"{"a":1,"b":2}"#, #"{"a":1,"b":2}"#, true),
            Row(#"{"a":1,"b":2}"#, #"{"a":1}"#, false),
            Row(#"{"a.b.c":1}"#, #"{"a":{"b":5}}"#, false),
            Row(#"{"":{"b":1}}"#, #"{"b":1}"#, true),
            Row(#"{"é":1}"#, #"{"é":1}"#, true),
            Row(#"{"\u00e9":1}"#, #"{"e\u0301":1}"#, false),
            Row(#"{"a\nb":1}"#, #"{"a\nb":1}"#, true),
            Row(#"{"a\"b.c":1}"#, #"{"a\"b":{"c":1}}"#, true),
            Row(#"{"a b":1}"#, #"{"a b":1}"#, true),
        ])
    }

    @Test func escapes() throws {
        try Row.check([
            Row(#"{"a\\.b":1}"#, #"{"a.b":1}"#, true),
            Row(#"{"a\\.b":1}"#, #"{"a":{"b":1}}"#, false),
            Row(#"{"a\\.b.c":1}"#, #"{"a.b":{"c":1}}"#, true),
            Row(#"{"a.b\\.c":1}"#, #"{"a":{"b.c":1}}"#, true),
            Row(#"{"\\$a":1}"#, #"{"$a":1}"#, true),
            Row(#"{"a.\\$b":1}"#, #"{"a":{"$b":1}}"#, true),
            Row(#"{"a.$b":1}"#, #"{"a":{"$b":1}}"#, true),
            // All backslashes are removed, and two of them do not escape each other.
            Row(#"{"a\\b":1}"#, #"{"ab":1}"#, true),
            Row(#"{"a\\b":1}"#, #"{"a\\b":1}"#, false),
            Row(#"{"a\\\\.b":1}"#, #"{"a.b":1}"#, true),
            // The names are joined first.
            Row(#"{"a\\":{"b":1}}"#, #"{"a.b":1}"#, true),
            Row(#"{"\\":1}"#, #"{"":1}"#, true),
        ])
    }

    @Test func indexes() throws {
        try Row.check([
            Row(#"{"a.0":1}"#, #"{"a":[1,2]}"#, true),
            Row(#"{"a.1":2}"#, #"{"a":[1,2]}"#, true),
            Row(#"{"a.2":2}"#, #"{"a":[1,2]}"#, false),
            Row(#"{"a":{"1":2}}"#, #"{"a":[1,2]}"#, true),
            Row(#"{"a.0":1}"#, #"{"a":{"0":1}}"#, true),
            Row(#"{"a.01":2}"#, #"{"a":[1,2]}"#, true),
            Row(#"{"a.+1":2}"#, #"{"a":[1,2]}"#, true),
            Row(#"{"a.-0":1}"#, #"{"a":[1,2]}"#, true),
            Row(#"{"a.-1":2}"#, #"{"a":[1,2]}"#, false),
            Row(#"{"a.01":2}"#, #"{"a":{"01":2}}"#, true),
            Row(#"{"a.01":2}"#, #"{"a":{"1":2}}"#, false),
            Row(#"{"a.1.b":3}"#, #"{"a":[1,{"b":3}]}"#, true),
            Row(#"{"a.01.b":3}"#, #"{"a":[1,{"b":3}]}"#, true),
            Row(#"{"a.b":3}"#, #"{"a":[{"b":3}]}"#, false),
            Row(#"{"a.0":"x"}"#, #"{"a":"x"}"#, false),
            Row(#"{"a.99999999999999999999":1}"#, #"{"a":[1]}"#, false),
            Row(#"{"a.99999999999999999999":1}"#, #"{"a":{"99999999999999999999":1}}"#, true),
            Row(#"{"a.0.1":2}"#, #"{"a":[[1,2]]}"#, true),
        ])
    }

    @Test func existence() throws {
        try Row.check([
            Row(#"{"a":{"$exists":true}}"#, #"{"a":1}"#, true),
            Row(#"{"a":{"$exists":true}}"#, #"{"a":null}"#, true),
            Row(#"{"a":{"$exists":true}}"#, #"{"b":1}"#, false),
            Row(#"{"a":{"$exists":false}}"#, #"{"a":null}"#, false),
            Row(#"{"a":{"$exists":false}}"#, #"{"b":1}"#, true),
            Row(#"{"a":{"$exists":false}}"#, #"{}"#, true),
            Row(#"{"a.b":{"$exists":false}}"#, #"{}"#, true),
            Row(#"{"a.b":{"$exists":false}}"#, #"{"a":{}}"#, true),
            Row(#"{"a.b":{"$exists":false}}"#, #"{"a":{"b":1}}"#, false),
            // The path leads through a value without members, which is not the same as a missing member.
            Row(#"{"a.b":{"$exists":false}}"#, #"{"a":5}"#, false),
            Row(#"{"a.b":{"$exists":false}}"#, #"{"a":null}"#, false),
            Row(#"{"a.b":{"$exists":false}}"#, #"{"a":[]}"#, false),
            Row(#"{"a.5":{"$exists":false}}"#, #"{"a":[1]}"#, false),
            Row(#"{"a.0.b":{"$exists":false}}"#, #"{"a":[{}]}"#, true),
            Row(#"{"a.00.b":{"$exists":false}}"#, #"{"a":[{}]}"#, true),
            Row(#"{"a":{"$exists":true,"$eq":1}}"#, #"{"a":1}"#, true),
            Row(#"{"a":{"$exists":false,"$eq":1}}"#, #"{"b":1}"#, false),
        ])
    }

    @Test func specialMembers() throws {
        let body = #"{"_attachments":{"x.txt":{"length":5}},"a":1}"#
        #expect(try matches(#"{"_id":"doc1"}"#, body))
        #expect(try !matches(#"{"_id":"doc2"}"#, body))
        #expect(try matches(#"{"_id":{"$beginsWith":"doc"}}"#, body))
        #expect(try matches(#"{"_id":{"$regex":"^doc[0-9]$"}}"#, body))
        #expect(try matches(#"{"_id":{"$in":["doc0","doc1"]}}"#, body))
        #expect(try matches(#"{"_id":{"$gt":null},"a":1}"#, body))
        #expect(try matches(#"{"_id":{"$exists":true}}"#, body))
        #expect(try !matches(#"{"_id":{"$exists":false}}"#, body))
        #expect(try matches(#"{"_id":{"$type":"string"}}"#, body))
        #expect(try !matches(#"{"_id.x":{"$exists":false}}"#, body))
        #expect(try matches(#"{"_id":"a\"b"}"#, body, id: "a\"b"))
        #expect(try matches(#"{"_rev":{"$beginsWith":"2-"}}"#, body))
        #expect(try !matches(#"{"_rev":{"$beginsWith":"1-"}}"#, body))
        #expect(try matches(#"{"_rev":"1-x"}"#, body, revision: "1-x"))
        #expect(try matches(#"{"_deleted":true}"#, body, isDeleted: true))
        #expect(try !matches(#"{"_deleted":true}"#, body))
        #expect(try matches(#"{"_deleted":{"$exists":false}}"#, body))
        #expect(try !matches(#"{"_deleted":{"$exists":false}}"#, body, isDeleted: true))
        #expect(try !matches(#"{"_deleted":{"$ne":true}}"#, body))
        #expect(try matches(#"{"_attachments":{"$exists":true}}"#, body))
        #expect(try matches(#"{"_attachments":{"x\\.txt":{"length":{"$gt":4}}}}"#, body))
        #expect(try matches(#"{"_attachments.x\\.txt.length":5}"#, body))
        // Elements have members of their own.
        #expect(try !matches(#"{"a":{"$elemMatch":{"_id":"doc1"}}}"#, #"{"a":[{}]}"#))
        #expect(try matches(#"{"a":{"$elemMatch":{"_id":"e"}}}"#, #"{"a":[{"_id":"e"}]}"#))
        #expect(try matches(#"{"a._id":"e"}"#, #"{"a":{"_id":"e"}}"#))
    }

    /// CouchDB compares what is called `_id` by bytes, and in the order of Erlang's terms.
    @Test func identifiersAreComparedRaw() throws {
        #expect(try matches(#"{"_id":{"$lt":"a"}}"#, "{}", id: "B"))
        #expect(try !matches(#"{"_rev":{"$lt":"1-a"}}"#, "{}", revision: "1-B"))
        #expect(try !matches(#"{"_id":"\u00e9"}"#, "{}", id: "e\u{301}"))
        #expect(try matches(#"{"_id":{"$gt":"z"}}"#, "{}", id: "é"))
        #expect(try matches(#"{"_id":{"$gt":[]}}"#, "{}"))
        #expect(try matches(#"{"_id":{"$gt":{}}}"#, "{}"))
        #expect(try matches(#"{"_id":{"$gt":5}}"#, "{}"))
        #expect(try matches(#"{"_id":{"$or":[{"$lt":"a"},{"$gt":"b"}]}}"#, "{}", id: "B"))
        try Row.check([
            Row(#"{"a":{"$elemMatch":{"_id":{"$lt":null}}}}"#, #"{"a":[{"_id":5}]}"#, true),
            Row(#"{"a":{"$elemMatch":{"_id":{"$lt":null}}}}"#, #"{"a":[{"_id":false}]}"#, true),
            Row(#"{"a":{"$elemMatch":{"_id":{"$lt":null}}}}"#, #"{"a":[{"_id":true}]}"#, false),
            Row(#"{"a":{"$elemMatch":{"_id":{"$gt":[]}}}}"#, #"{"a":[{"_id":{}}]}"#, false),
            Row(#"{"a":{"$elemMatch":{"_id":{"x":{"$lt":"a"}}}}}"#, #"{"a":[{"_id":{"x":"B"}}]}"#, false),
            Row(#"{"a":{"$elemMatch":{"_id":{"$elemMatch":{"$lt":"a"}}}}}"#, #"{"a":[{"_id":["B"]}]}"#, true),
            Row(#"{"a":{"$elemMatch":{"x":{"$elemMatch":{"$lt":"a"}}}}}"#, #"{"a":[{"x":["B"]}]}"#, false),
        ])
    }
}
