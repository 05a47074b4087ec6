import SetteeDocumentValues
import SetteeExpressions
import StorageConformance
import StorageProtocol
import Testing

/// The ranges of collation keys that a condition leaves to a field.
@Suite struct KeyRangesTests {
    private static let values: [JSONValue] = [
        .null, false, true, -5, 0, 1, 1.5, 2, 100, 1e300, "", "!", "a", "ab", "abc", "abd", "b", "é", [], [1], [1, 2],
        ["a"], [:], ["a": 1],
    ]

    private func key(_ value: JSONValue, _ collator: Collator) throws -> [UInt8] {
        var key: [UInt8] = []
        let text = try value.canonicalBytes()
        try collator.encode(text.span.bytes, into: &key)
        return key
    }

    private func ranges(_ selector: String, of path: String = "a") throws -> FieldRanges {
        try MangoSelector(JSONValue(parsing: selector)).ranges(of: FieldPath(mango: path))
    }

    /// The values above that lie in the ranges.
    private func values(in ranges: KeyRanges, _ collator: Collator = .unicode) throws -> [JSONValue] {
        try KeyRangesTests.values.filter { try ranges.contains(key($0, collator)) }
    }

    @Test(arguments: [
        (#"{"a":1}"#, "[1]"), (#"{"a":{"$lt":0}}"#, "[null,false,true,-5]"), (#"{"a":{"$gt":1,"$lte":2}}"#, "[1.5,2]"),
        (#"{"a":{"$ne":1,"$type":"number"}}"#, "[-5,0,1.5,2,100,1e300]"),
        (#"{"a":{"$in":[1,"b"]}}"#, #"[1,"b",[1],[1,2],["a"]]"#),
        (#"{"a":{"$in":[1,"b"],"$lt":[]}}"#, #"[1,"b"]"#), (#"{"a":{"$in":[]}}"#, "[]"),
        (#"{"a":{"$size":1}}"#, #"[[1],[1,2],["a"]]"#), (#"{"a":{"$keyMapMatch":{"$eq":"a"}}}"#, #"[{},{"a":1}]"#),
        (#"{"a":{"$size":0}}"#, "[[]]"), (#"{"a":{"$all":[]}}"#, "[]"), (#"{"a":{"$all":[1]}}"#, #"[[1],[1,2],["a"]]"#),
        (#"{"a":{"$elemMatch":{"$lt":2}}}"#, #"[[1],[1,2],["a"]]"#), (#"{"a":{"$allMatch":{"$lt":2}}}"#, "[[1],[1,2]]"),
        (#"{"a":{"$allMatch":{"$gt":1}}}"#, #"[["a"]]"#), (#"{"a":{"$allMatch":{"$in":[7,"a"]}}}"#, #"[["a"]]"#),
        (#"{"a":{"$allMatch":{"b":1}}}"#, #"[[1],[1,2],["a"]]"#), (#"{"a":{"$eq":[1,2]}}"#, "[[1,2]]"),
        (#"{"a":{"$not":{"$size":0},"$gt":"é"}}"#, #"[[1],[1,2],["a"],{},{"a":1}]"#),
        (#"{"a":{"$mod":[2,0]}}"#, "[-5,0,1,1.5,2,100,1e300]"),
        (#"{"a":{"$beginsWith":"ab"}}"#, #"["ab","abc","abd"]"#),
        (#"{"a":{"$regex":"^ab"}}"#, #"["ab","abc","abd"]"#), (#"{"a":{"$regex":"^abc?$"}}"#, #"["ab","abc","abd"]"#),
        (#"{"a":{"$regex":"^abc{0}"}}"#, #"["ab","abc","abd"]"#),
        (#"{"a":{"$regex":"^ab|b"}}"#, #"["","!","a","ab","abc","abd","b","é"]"#),
        (#"{"a":{"$regex":"^\\!"}}"#, #"["!"]"#),
        (#"{"a":{"$regex":"(?i)^ab"}}"#, #"["","!","a","ab","abc","abd","b","é"]"#),
        (#"{"$or":[{"a":1},{"a":"b"}]}"#, #"[1,"b"]"#), (#"{"a":{"$gt":2,"$lt":1}}"#, "[]"),
        (#"{"$and":[{"a":{"$gte":1}},{"b":5},{"a":{"$lt":2}}]}"#, "[1,1.5]"),
        (#"{"$nor":[{"a":{"$lt":100}},{"a":{"$gt":""}}]}"#, #"[100,1e300,""]"#),
        (#"{"a":{"$not":{"$type":"string"},"$gt":100}}"#, #"[1e300,[],[1],[1,2],["a"],{},{"a":1}]"#),
        (#"{"a":{"$exists":false}}"#, "[]"),
    ])
    func ofOneField(selector: String, expected: String) throws {
        let found = try ranges(selector)
        let wanted = try JSONValue(parsing: expected).arrayValue ?? []
        #expect(try values(in: found.ranges).map(\.description) == wanted.map(\.description), "\(selector)")
        #expect(found.mayBeMissing == selector.contains("exists"), "\(selector)")
    }

    @Test func everythingIsPossibleWhereNothingIsAsked() throws {
        for selector in ["{}", #"{"b":1}"#, #"{"$or":[]}"#, #"{"$or":[{"a":1},{"b":1}]}"#, #"{"a.b":1}"#] {
            #expect(try ranges(selector) == .everything, "\(selector)")
        }
        #expect(try ranges(#"{"a":{"$exists":true}}"#) == FieldRanges(ranges: .all, mayBeMissing: false))
        #expect(try ranges(#"{"$or":[{"a":1},{"a":{"$exists":false}}]}"#).mayBeMissing)
    }

    @Test func idsHaveTheRawOrder() throws {
        let found = try ranges(#"{"_id":{"$gte":"B","$lt":"a"}}"#, of: "_id").ranges
        #expect(try FieldPath(mango: "_id").comparesRaw)
        #expect(try found.contains(key("Z", .raw)) && found.contains(key("_", .raw)))
        #expect(try !found.contains(key("A", .raw)) && !found.contains(key("a", .raw)))
        let beginning = try ranges(#"{"_id":{"$beginsWith":"user:"}}"#, of: "_id").ranges
        #expect(try beginning.contains(key("user:", .raw)) && beginning.contains(key("user:x", .raw)))
        #expect(try !beginning.contains(key("user", .raw)) && !beginning.contains(key("user;", .raw)))
        // Written like this, CouchDB does not see that it is the ID, and compares in the other order.
        #expect(try ranges(#"{"\\_id":{"$gte":"B"}}"#, of: "_id").ranges.isAll)
    }

    @Test func boundsAndPoints() throws {
        let one = try key(1, .unicode)
        #expect(try ranges(#"{"a":1}"#).ranges.isPoint)
        #expect(try ranges(#"{"a":null}"#).ranges.isPoint)
        #expect(try !ranges(#"{"a":{"$type":"array"}}"#).ranges.isPoint)
        #expect(try !ranges(#"{"a":{"$beginsWith":"a"}}"#).ranges.isPoint)
        let unequal = try ranges(#"{"a":{"$ne":1}}"#).ranges
        #expect(unequal.ranges.map(\.lower) == [.open, .excluding(one)])
        #expect(unequal.ranges.map(\.upper) == [.excluding(one), .open])
        // No key lies between a key and the same without zeros at its end.
        #expect(unequal.bytes.map(\.lower) == [[], CollationKey.end(ofPrefix: one)])
        #expect(unequal.bytes.map(\.upper) == [one.dropLast(), nil])
        let many = try ranges(#"{"a":{"$in":[1,2,1.0],"$lt":[]}}"#).ranges
        #expect(many.arePoints && many.ranges.count == 2)
        let texts = try MangoSelector(JSONValue(parsing: #"{"a":{"$gt":1}}"#)).operandTexts
        #expect(texts == [one: Array("1".utf8)])
    }

    /// Union, intersection and subsets are those of the keys.
    @Test(arguments: [1, 2, 3] as [UInt64])
    func sets(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let keys = try KeyRangesTests.values.map { try key($0, .unicode) }
        func random() throws -> KeyRanges {
            let operations = ["$lt", "$lte", "$eq", "$ne", "$gte", "$gt"]
            var found = KeyRanges.none
            for _ in 0..<generator.below(4) {
                var condition = JSONObject()
                for _ in 0...generator.below(2) {
                    let value = KeyRangesTests.values[generator.below(KeyRangesTests.values.count)]
                    condition[operations[generator.below(6)]] = value
                }
                found = try found.union(ranges(JSONValue.object(["a": .object(condition)]).description).ranges)
            }
            return found
        }
        for _ in 0..<500 {
            let (a, b) = try (random(), random())
            let both = a.intersection(b)
            let either = a.union(b)
            for key in keys {
                #expect(both.contains(key) == (a.contains(key) && b.contains(key)))
                #expect(either.contains(key) == (a.contains(key) || b.contains(key)))
            }
            #expect(both.isSubset(of: a) && both.isSubset(of: b) && a.isSubset(of: either))
            #expect(a.isSubset(of: b) == (both == a) && a.isSubset(of: b) == (either == b))
            #expect(a.isEmpty == (a == .none) && KeyRanges.none.isSubset(of: a) && a.isSubset(of: .all))
        }
    }

    @Test func longListsOfValues() throws {
        let numbers = JSONValue.array((0..<100_000).map { JSONValue(2 * $0) })
        let start = ContinuousClock.now
        let selector = try MangoSelector(["a": ["$in": numbers, "$nin": numbers]])
        let found = try selector.ranges(of: FieldPath(mango: "a")).ranges
        #expect(try values(in: found) == [[1], [1, 2], ["a"]])
        #expect(ContinuousClock.now - start < .seconds(30))
    }

    @Test func pathsHaveOneText() throws {
        for (text, canonical) in [
            ("a", "a"), ("a.b.0", "a.b.0"), (#"a\.b.c"#, #"a\.b.c"#), (#"\a"#, "a"), ("$a", #"\$a"#),
            (#"\$a.$b"#, #"\$a.$b"#),
        ] {
            let path = try FieldPath(mango: text)
            #expect(path.text == canonical)
            #expect(try FieldPath(mango: canonical) == path)
        }
        #expect(try FieldPath(mango: "é") != FieldPath(mango: "e\u{301}"))
        for wrong in ["", ".", "a.", ".a", "a..b", String(repeating: "a", count: 1025)] {
            let error = #expect(throws: StorageError.self) { try FieldPath(mango: wrong) }
            #expect(error?.code == .badRequest)
        }
    }
}
