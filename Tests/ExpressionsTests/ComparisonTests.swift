import Testing

/// `$eq`, `$ne`, `$lt`, `$lte`, `$gt`, `$gte`, and equality without an operator.
@Suite struct ComparisonTests {
    @Test func equality() throws {
        try Row.check([
            Row(#"{"a":1}"#, #"{"a":1}"#, true),
            Row(#"{"a":1}"#, #"{"a":2}"#, false),
            Row(#"{"a":1}"#, #"{"a":1.0}"#, true),
            Row(#"{"a":1e0}"#, #"{"a":1}"#, true),
            Row(#"{"a":1}"#, #"{"a":"1"}"#, false),
            Row(#"{"a":1}"#, #"{"b":1}"#, false),
            Row(#"{"a":1}"#, #"{}"#, false),
            Row(#"{"a":null}"#, #"{"a":null}"#, true),
            Row(#"{"a":null}"#, #"{}"#, false),
            Row(#"{"a":null}"#, #"{"a":false}"#, false),
            Row(#"{"a":true}"#, #"{"a":true}"#, true),
            Row(#"{"a":true}"#, #"{"a":false}"#, false),
            Row(#"{"a":"x"}"#, #"{"a":"x"}"#, true),
            Row(#"{"a":"x"}"#, #"{"a":"X"}"#, false),
            Row(#"{"a":"x"}"#, #"{"a":"xx"}"#, false),
            Row(#"{"a":""}"#, #"{"a":""}"#, true),
            Row(#"{"a":""}"#, #"{"a":null}"#, false),
            Row(#"{"a":[1,2]}"#, #"{"a":[1,2]}"#, true),
            Row(#"{"a":[1,2]}"#, #"{"a":[2,1]}"#, false),
            Row(#"{"a":[]}"#, #"{"a":[]}"#, true),
            Row(#"{"a":[]}"#, #"{"a":{}}"#, false),
            Row(#"{"a":{}}"#, #"{"a":{}}"#, true),
            Row(#"{"a":{}}"#, #"{"a":{"b":1}}"#, false),
            Row(#"{"a":{"$eq":{"b":1}}}"#, #"{"a":{"b":1}}"#, true),
            Row(#"{"a":{"$eq":{"b":1}}}"#, #"{"a":{"b":1,"c":2}}"#, false),
            Row(#"{"a":{"$eq":{"c":2,"b":1}}}"#, #"{"a":{"b":1,"c":2}}"#, true),
            Row(#"{"a":{"$eq":{"$gt":1}}}"#, #"{"a":{"$gt":1}}"#, true),
            Row(#"{"a":{"$eq":1}}"#, #"{"a":[1]}"#, false),
            Row(#"{"a":0}"#, #"{"a":-0.0}"#, true),
            Row(#"{"a":0.1}"#, #"{"a":1e-1}"#, true),
            Row(#"{"a":123456789012345}"#, #"{"a":123456789012346}"#, false),
            Row(#"{"a":18446744073709551615}"#, #"{"a":18446744073709551615}"#, true),
            Row(#"{"a":9007199254740993}"#, #"{"a":9007199254740992.0}"#, false),
            Row(#"{"a":9007199254740992}"#, #"{"a":9007199254740992.0}"#, true),
            Row(#"{"a":-12345678901234567}"#, #"{"a":-12345678901234567}"#, true),
        ])
    }

    /// ICU's root collation decides: canonically equivalent strings are equal, and so are those that differ in
    /// characters that it ignores.
    @Test func equalityOfStrings() throws {
        try Row.check([
            Row(#"{"a":"\u00e9"}"#, #"{"a":"e\u0301"}"#, true),
            Row(#"{"a":"e\u0301"}"#, #"{"a":"\u00e9"}"#, true),
            Row(#"{"a":"e"}"#, #"{"a":"\u00e9"}"#, false),
            Row(#"{"a":"ab"}"#, #"{"a":"a\u0001b"}"#, true),
            Row(#"{"a":"ab"}"#, #"{"a":"a\u007fb"}"#, true),
            Row(#"{"a":"a b"}"#, #"{"a":"ab"}"#, false),
            Row(#"{"a":"a\"b"}"#, #"{"a":"a\"b"}"#, true),
            Row(#"{"a":"a\\b"}"#, #"{"a":"a\\b"}"#, true),
            Row(#"{"a":"a\\b"}"#, #"{"a":"ab"}"#, false),
            Row(#"{"a":"\ud83d\ude00"}"#, #"{"a":"😀"}"#, true),
            Row(#"{"a":{"$ne":"\u00e9"}}"#, #"{"a":"e\u0301"}"#, false),
            Row(#"{"a":{"$in":["\u00e9"]}}"#, #"{"a":"e\u0301"}"#, true),
            Row(#"{"a":{"$all":["\u00e9"]}}"#, #"{"a":["e\u0301"]}"#, false),
        ])
    }

    @Test func inequality() throws {
        try Row.check([
            Row(#"{"a":{"$ne":1}}"#, #"{"a":2}"#, true),
            Row(#"{"a":{"$ne":1}}"#, #"{"a":1}"#, false),
            Row(#"{"a":{"$ne":1}}"#, #"{"a":"1"}"#, true),
            Row(#"{"a":{"$ne":1}}"#, #"{"a":null}"#, true),
            Row(#"{"a":{"$ne":1}}"#, #"{}"#, false),
            Row(#"{"a":{"$ne":null}}"#, #"{"a":0}"#, true),
            Row(#"{"a":{"$ne":null}}"#, #"{}"#, false),
            Row(#"{"a":{"$ne":[1]}}"#, #"{"a":[1,2]}"#, true),
            Row(#"{"a":{"$ne":{"b":1}}}"#, #"{"a":{"b":1.0}}"#, false),
            Row(#"{"a.b":{"$ne":1}}"#, #"{"a":5}"#, false),
        ])
    }

    @Test func orderWithinAType() throws {
        try Row.check([
            Row(#"{"a":{"$lt":2}}"#, #"{"a":1}"#, true),
            Row(#"{"a":{"$lt":2}}"#, #"{"a":2}"#, false),
            Row(#"{"a":{"$lt":2}}"#, #"{"a":1.99}"#, true),
            Row(#"{"a":{"$lt":-1}}"#, #"{"a":-1.5}"#, true),
            Row(#"{"a":{"$lte":2}}"#, #"{"a":2.0}"#, true),
            Row(#"{"a":{"$lte":2}}"#, #"{"a":3}"#, false),
            Row(#"{"a":{"$gt":2}}"#, #"{"a":2}"#, false),
            Row(#"{"a":{"$gt":2}}"#, #"{"a":10}"#, true),
            Row(#"{"a":{"$gt":1e300}}"#, #"{"a":1e301}"#, true),
            Row(#"{"a":{"$gt":9007199254740992}}"#, #"{"a":9007199254740993}"#, true),
            Row(#"{"a":{"$gt":18446744073709551614}}"#, #"{"a":18446744073709551615}"#, true),
            Row(#"{"a":{"$gte":2}}"#, #"{"a":2}"#, true),
            Row(#"{"a":{"$gte":2}}"#, #"{"a":1}"#, false),
            Row(#"{"a":{"$gte":0.1}}"#, #"{"a":0.10000000000000001}"#, true),
            Row(#"{"a":{"$gt":"a"}}"#, #"{"a":"b"}"#, true),
            Row(#"{"a":{"$gt":"a"}}"#, #"{"a":"A"}"#, true),
            Row(#"{"a":{"$gt":"B"}}"#, #"{"a":"a"}"#, false),
            Row(#"{"a":{"$lt":"a"}}"#, #"{"a":"_"}"#, true),
            Row(#"{"a":{"$lt":"f"}}"#, #"{"a":"é"}"#, true),
            Row(#"{"a":{"$gt":"e"}}"#, #"{"a":"é"}"#, true),
            Row(#"{"a":{"$lte":"abc"}}"#, #"{"a":"abcd"}"#, false),
            Row(#"{"a":{"$gte":"abc"}}"#, #"{"a":"abcd"}"#, true),
            Row(#"{"a":{"$gt":false}}"#, #"{"a":true}"#, true),
            Row(#"{"a":{"$lt":[1,2]}}"#, #"{"a":[1]}"#, true),
            Row(#"{"a":{"$lt":[1,2]}}"#, #"{"a":[1,3]}"#, false),
            Row(#"{"a":{"$gt":[1]}}"#, #"{"a":[1,null]}"#, true),
            Row(#"{"a":{"$lt":{"b":2}}}"#, #"{"a":{"b":1}}"#, true),
            Row(#"{"a":{"$gt":{"b":1}}}"#, #"{"a":{"c":0}}"#, true),
            Row(#"{"a":{"$gt":1,"$lt":5}}"#, #"{"a":3}"#, true),
            Row(#"{"a":{"$gt":1,"$lt":5}}"#, #"{"a":5}"#, false),
        ])
    }

    /// null, false, true, numbers, strings, arrays, objects.
    @Test func orderOfTypes() throws {
        let values = ["null", "false", "true", "-7", "12", #""a""#, #""b""#, "[]", "[1]", "{}", #"{"x":1}"#]
        for (i, low) in values.enumerated() {
            for (j, high) in values.enumerated() {
                try Row.check([
                    Row(#"{"a":{"$lt":\#(high)}}"#, #"{"a":\#(low)}"#, i < j),
                    Row(#"{"a":{"$lte":\#(high)}}"#, #"{"a":\#(low)}"#, i <= j),
                    Row(#"{"a":{"$gt":\#(high)}}"#, #"{"a":\#(low)}"#, i > j),
                    Row(#"{"a":{"$gte":\#(high)}}"#, #"{"a":\#(low)}"#, i >= j),
                    Row(#"{"a":{"$eq":\#(high)}}"#, #"{"a":\#(low)}"#, i == j),
                    Row(#"{"a":{"$ne":\#(high)}}"#, #"{"a":\#(low)}"#, i != j),
                ])
            }
        }
    }

    @Test func missingFieldsFail() throws {
        try Row.check([
            Row(#"{"a":{"$lt":5}}"#, #"{"b":1}"#, false),
            Row(#"{"a":{"$lte":null}}"#, #"{"b":1}"#, false),
            Row(#"{"a":{"$gt":null}}"#, #"{"b":1}"#, false),
            Row(#"{"a":{"$gte":null}}"#, #"{"b":1}"#, false),
            Row(#"{"a":{"$eq":null}}"#, #"{"b":1}"#, false),
            Row(#"{"a":{"$gte":null}}"#, #"{"a":null}"#, true),
        ])
    }
}
