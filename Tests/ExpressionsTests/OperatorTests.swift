import Testing

/// The operators that test one value: `$in`, `$nin`, `$all`, `$size`, `$elemMatch`, `$allMatch`, `$keyMapMatch`,
/// `$type`, `$mod`, `$regex`, `$beginsWith`.
@Suite struct OperatorTests {
    @Test func inAndNotIn() throws {
        try Row.check([
            Row(#"{"a":{"$in":[1,2]}}"#, #"{"a":2}"#, true),
            Row(#"{"a":{"$in":[1,2]}}"#, #"{"a":3}"#, false),
            Row(#"{"a":{"$in":[1,2]}}"#, #"{"a":2.0}"#, true),
            Row(#"{"a":{"$in":[]}}"#, #"{"a":1}"#, false),
            Row(#"{"a":{"$in":[1]}}"#, #"{}"#, false),
            Row(#"{"a":{"$in":[null]}}"#, #"{"a":null}"#, true),
            Row(#"{"a":{"$in":["x",5,true]}}"#, #"{"a":true}"#, true),
            Row(#"{"a":{"$in":[1,2]}}"#, #"{"a":[5,2]}"#, true),
            Row(#"{"a":{"$in":[1,2]}}"#, #"{"a":[5,6]}"#, false),
            Row(#"{"a":{"$in":[1,2]}}"#, #"{"a":[]}"#, false),
            Row(#"{"a":{"$in":[[1,2]]}}"#, #"{"a":[1,2]}"#, false),
            Row(#"{"a":{"$in":[[1,2]]}}"#, #"{"a":[[1,2]]}"#, true),
            Row(#"{"a":{"$in":[{"b":1}]}}"#, #"{"a":{"b":1}}"#, true),
            Row(#"{"a":{"$in":[1,2,3,4,5,6,7,8,9,10]}}"#, #"{"a":10}"#, true),
            Row(#"{"a":{"$in":[1,2,3,4,5,6,7,8,9,10]}}"#, #"{"a":11}"#, false),
            Row(#"{"a":{"$in":["a","b","c","d","e","f","g","h","é"]}}"#, #"{"a":"e\u0301"}"#, true),
            Row(#"{"a":{"$in":["a","b","c","d","e","f","g","h","é"]}}"#, #"{"a":["y","z","g"]}"#, true),
            Row(#"{"a":{"$nin":[1,2]}}"#, #"{"a":3}"#, true),
            Row(#"{"a":{"$nin":[1,2]}}"#, #"{"a":1}"#, false),
            Row(#"{"a":{"$nin":[1,2]}}"#, #"{}"#, false),
            Row(#"{"a":{"$nin":[]}}"#, #"{"a":1}"#, true),
            Row(#"{"a":{"$nin":[]}}"#, #"{}"#, false),
            Row(#"{"a":{"$nin":[1]}}"#, #"{"a":[2,1]}"#, false),
            Row(#"{"a":{"$nin":[1]}}"#, #"{"a":[2,3]}"#, true),
            Row(#"{"a":{"$nin":[1]}}"#, #"{"a":[]}"#, true),
        ])
    }

    @Test func all() throws {
        try Row.check([
            Row(#"{"a":{"$all":[1,2]}}"#, #"{"a":[3,2,1]}"#, true),
            Row(#"{"a":{"$all":[1,2]}}"#, #"{"a":[1,3]}"#, false),
            Row(#"{"a":{"$all":[]}}"#, #"{"a":[1]}"#, false),
            Row(#"{"a":{"$all":[]}}"#, #"{"a":[]}"#, false),
            Row(#"{"a":{"$all":[1]}}"#, #"{"a":1}"#, false),
            Row(#"{"a":{"$all":[1]}}"#, #"{}"#, false),
            Row(#"{"a":{"$all":[1,1]}}"#, #"{"a":[1]}"#, true),
            Row(#"{"a":{"$all":[[1,2]]}}"#, #"{"a":[1,2]}"#, true),
            Row(#"{"a":{"$all":[[1,2]]}}"#, #"{"a":[[1,2],3]}"#, true),
            Row(#"{"a":{"$all":[[1,2]]}}"#, #"{"a":[2,1]}"#, false),
            Row(#"{"a":{"$all":[[1,2],[3]]}}"#, #"{"a":[1,2]}"#, false),
            Row(#"{"a":{"$all":[{"b":1}]}}"#, #"{"a":[{"b":1}]}"#, true),
            Row(#"{"a":{"$all":[{"b":1}]}}"#, #"{"a":[{"b":1,"c":1}]}"#, false),
            Row(#"{"a":{"$all":["x",null]}}"#, #"{"a":[null,"x"]}"#, true),
        ])
    }

    @Test func size() throws {
        try Row.check([
            Row(#"{"a":{"$size":2}}"#, #"{"a":[1,2]}"#, true),
            Row(#"{"a":{"$size":2}}"#, #"{"a":[1]}"#, false),
            Row(#"{"a":{"$size":2}}"#, #"{"a":[1,2,3]}"#, false),
            Row(#"{"a":{"$size":0}}"#, #"{"a":[]}"#, true),
            Row(#"{"a":{"$size":0}}"#, #"{"a":{}}"#, false),
            Row(#"{"a":{"$size":1}}"#, #"{"a":"x"}"#, false),
            Row(#"{"a":{"$size":0}}"#, #"{}"#, false),
            Row(#"{"a":{"$size":2}}"#, #"{"a":[[1,2,3],{"b":[1,2]}]}"#, true),
            Row(#"{"a":{"$size":18446744073709551615}}"#, #"{"a":[]}"#, false),
        ])
    }

    @Test func elements() throws {
        try Row.check([
            Row(#"{"a":{"$elemMatch":{"$eq":2}}}"#, #"{"a":[1,2]}"#, true),
            Row(#"{"a":{"$elemMatch":{"$eq":3}}}"#, #"{"a":[1,2]}"#, false),
            Row(#"{"a":{"$elemMatch":{"$gte":80,"$lt":85}}}"#, #"{"a":[70,90]}"#, false),
            Row(#"{"a":{"$elemMatch":{"$gte":80,"$lt":85}}}"#, #"{"a":[70,82]}"#, true),
            Row(#"{"a":{"$elemMatch":{"b":1,"c":2}}}"#, #"{"a":[{"b":1},{"c":2}]}"#, false),
            Row(#"{"a":{"$elemMatch":{"b":1,"c":2}}}"#, #"{"a":[{"b":1,"c":2}]}"#, true),
            Row(#"{"a":{"$elemMatch":{"b.c":1}}}"#, #"{"a":[{"b":{"c":1}}]}"#, true),
            Row(#"{"a":{"$elemMatch":{"0":1}}}"#, #"{"a":[[1]]}"#, true),
            Row(#"{"a":{"$elemMatch":{"$or":[{"$eq":1},{"$eq":"x"}]}}}"#, #"{"a":["x"]}"#, true),
            Row(#"{"a":{"$elemMatch":{"$elemMatch":{"$eq":1}}}}"#, #"{"a":[[2],[1]]}"#, true),
            Row(#"{"a":{"$elemMatch":{"b":{"$elemMatch":{"c":1}}}}}"#, #"{"a":[{"b":[{"c":1}]}]}"#, true),
            Row(#"{"a":{"$elemMatch":{"b":{"$exists":false}}}}"#, #"{"a":[{"c":1}]}"#, true),
            Row(#"{"a":{"$elemMatch":{"b":{"$exists":false}}}}"#, #"{"a":[5]}"#, false),
            Row(#"{"a":{"$elemMatch":{"$exists":true}}}"#, #"{"a":[null]}"#, true),
            Row(#"{"a":{"$elemMatch":{"$exists":false}}}"#, #"{"a":[null]}"#, false),
            Row(#"{"a":{"$elemMatch":{}}}"#, #"{"a":[{}]}"#, true),
            Row(#"{"a":{"$elemMatch":{}}}"#, #"{"a":[{"b":1}]}"#, false),
            Row(#"{"a":{"$elemMatch":{"$eq":1}}}"#, #"{"a":[]}"#, false),
            Row(#"{"a":{"$elemMatch":{"$eq":1}}}"#, #"{"a":1}"#, false),
            Row(#"{"a":{"$elemMatch":{"$eq":1}}}"#, #"{"a":{"b":1}}"#, false),
            Row(#"{"a":{"$elemMatch":{"$eq":1}}}"#, #"{}"#, false),
            Row(#"{"a":{"$allMatch":{"$gt":1}}}"#, #"{"a":[2,3]}"#, true),
            Row(#"{"a":{"$allMatch":{"$gt":1}}}"#, #"{"a":[1,2]}"#, false),
            Row(#"{"a":{"$allMatch":{"$gt":1}}}"#, #"{"a":[]}"#, false),
            Row(#"{"a":{"$allMatch":{"$gt":1}}}"#, #"{"a":5}"#, false),
            Row(#"{"a":{"$allMatch":{"$gt":1}}}"#, #"{}"#, false),
            Row(#"{"a":{"$allMatch":{"b":1}}}"#, #"{"a":[{"b":1},{"b":1,"c":2}]}"#, true),
            Row(#"{"a":{"$allMatch":{"b":1}}}"#, #"{"a":[{"b":1},{}]}"#, false),
            Row(#"{"a":{"$allMatch":{"$elemMatch":{"$eq":1}}}}"#, #"{"a":[[1,2],[0,1]]}"#, true),
        ])
    }

    @Test func names() throws {
        try Row.check([
            Row(#"{"a":{"$keyMapMatch":{"$eq":"b"}}}"#, #"{"a":{"b":1,"c":2}}"#, true),
            Row(#"{"a":{"$keyMapMatch":{"$eq":"d"}}}"#, #"{"a":{"b":1,"c":2}}"#, false),
            Row(#"{"a":{"$keyMapMatch":{"$eq":"c"}}}"#, #"{"a":{"b":"c"}}"#, false),
            Row(#"{"a":{"$keyMapMatch":{"$beginsWith":"c"}}}"#, #"{"a":{"b":{"x":1},"cd":[1]}}"#, true),
            Row(#"{"a":{"$keyMapMatch":{"$regex":"^x"}}}"#, #"{"a":{"xy":1}}"#, true),
            Row(#"{"a":{"$keyMapMatch":{"$eq":"a\"b"}}}"#, #"{"a":{"a\"b":1}}"#, true),
            Row(#"{"a":{"$keyMapMatch":{"$gt":"m","$lt":"p"}}}"#, #"{"a":{"a":1,"o":1}}"#, true),
            Row(#"{"a":{"$keyMapMatch":{"$gt":"m","$lt":"p"}}}"#, #"{"a":{"a":1,"z":1}}"#, false),
            Row(#"{"a":{"$keyMapMatch":{"$type":"string"}}}"#, #"{"a":{"1":1}}"#, true),
            Row(#"{"a":{"$keyMapMatch":{"b":1}}}"#, #"{"a":{"b":1}}"#, false),
            Row(#"{"a":{"$keyMapMatch":{"$eq":"b"}}}"#, #"{"a":{}}"#, false),
            Row(#"{"a":{"$keyMapMatch":{"$eq":"b"}}}"#, #"{"a":["b"]}"#, false),
            Row(#"{"a":{"$keyMapMatch":{"$eq":"b"}}}"#, #"{"a":"b"}"#, false),
            Row(#"{"a":{"$keyMapMatch":{"$eq":"b"}}}"#, #"{}"#, false),
        ])
    }

    @Test func types() throws {
        let values = [
            ("null", "null"), ("boolean", "true"), ("boolean", "false"), ("number", "0"), ("number", "-1.5e99"),
            ("string", #""""#), ("array", "[]"), ("object", "{}"),
        ]
        for (type, value) in values {
            for name in ["null", "boolean", "number", "string", "array", "object", "integer", "Null", ""] {
                try Row.check([Row(#"{"a":{"$type":"\#(name)"}}"#, #"{"a":\#(value)}"#, name == type)])
            }
        }
        try Row.check([Row(#"{"a":{"$type":"null"}}"#, #"{}"#, false)])
    }

    @Test func remainders() throws {
        try Row.check([
            Row(#"{"a":{"$mod":[10,1]}}"#, #"{"a":11}"#, true),
            Row(#"{"a":{"$mod":[10,1]}}"#, #"{"a":12}"#, false),
            Row(#"{"a":{"$mod":[10,1]}}"#, #"{"a":11.0}"#, true),
            Row(#"{"a":{"$mod":[10,1]}}"#, #"{"a":11.5}"#, false),
            Row(#"{"a":{"$mod":[10,1]}}"#, #"{"a":"11"}"#, false),
            Row(#"{"a":{"$mod":[10,1]}}"#, #"{"a":-11}"#, false),
            Row(#"{"a":{"$mod":[7,2]}}"#, #"{"a":100000000000000000000}"#, true),
            Row(#"{"a":{"$mod":[7,3]}}"#, #"{"a":100000000000000000000}"#, false),
            Row(#"{"a":{"$mod":[10,-6]}}"#, #"{"a":-18446744073709551616}"#, true),
            Row(#"{"a":{"$mod":[18446744073709551615,1]}}"#, #"{"a":18446744073709551616}"#, true),
            Row(#"{"a":{"$mod":[10,-1]}}"#, #"{"a":-11}"#, true),
            Row(#"{"a":{"$mod":[-10,1]}}"#, #"{"a":11}"#, true),
            Row(#"{"a":{"$mod":[-10,-1]}}"#, #"{"a":11}"#, false),
            Row(#"{"a":{"$mod":[5,0]}}"#, #"{"a":-10}"#, true),
            Row(#"{"a":{"$mod":[5,5]}}"#, #"{"a":10}"#, false),
            Row(#"{"a":{"$mod":[2,1]}}"#, #"{"a":18446744073709551615}"#, true),
            Row(#"{"a":{"$mod":[10,-8]}}"#, #"{"a":-9223372036854775808}"#, true),
            Row(#"{"a":{"$mod":[-9223372036854775808,0]}}"#, #"{"a":-9223372036854775808}"#, true),
            Row(#"{"a":{"$mod":[10,0]}}"#, #"{"a":1e20}"#, false),
            Row(#"{"a":{"$mod":[10,0]}}"#, #"{}"#, false),
        ])
    }

    @Test func patterns() throws {
        try Row.check([
            Row(#"{"a":{"$regex":"b+"}}"#, #"{"a":"abbc"}"#, true),
            Row(#"{"a":{"$regex":"^b"}}"#, #"{"a":"abbc"}"#, false),
            Row(#"{"a":{"$regex":"c$"}}"#, #"{"a":"abbc"}"#, true),
            Row(#"{"a":{"$regex":"(?i)BB"}}"#, #"{"a":"abbc"}"#, true),
            Row(#"{"a":{"$regex":"BB"}}"#, #"{"a":"abbc"}"#, false),
            Row(#"{"a":{"$regex":""}}"#, #"{"a":""}"#, true),
            Row(#"{"a":{"$regex":""}}"#, #"{"a":"x"}"#, true),
            Row(#"{"a":{"$regex":"."}}"#, #"{"a":""}"#, false),
            Row(#"{"a":{"$regex":""}}"#, #"{"a":1}"#, false),
            Row(#"{"a":{"$regex":"^.$"}}"#, #"{"a":"é"}"#, true),
            Row(#"{"a":{"$regex":"^.$"}}"#, #"{"a":"😀"}"#, true),
            Row(#"{"a":{"$regex":"^\\d{3}-\\w+$"}}"#, #"{"a":"555-ab_c"}"#, true),
            Row(#"{"a":{"$regex":"a\\nb"}}"#, #"{"a":"a\nb"}"#, true),
            Row(#"{"a":{"$regex":"^\"\\\\$"}}"#, #"{"a":"\"\\"}"#, true),
            Row(#"{"a":{"$regex":"(a)(b)\\2\\1"}}"#, #"{"a":"xabbax"}"#, true),
            Row(#"{"a":{"$regex":"1"}}"#, #"{"a":1}"#, false),
            Row(#"{"a":{"$regex":"."}}"#, #"{"a":["x"]}"#, false),
            Row(#"{"a":{"$regex":"."}}"#, #"{"a":null}"#, false),
            Row(#"{"a":{"$regex":"."}}"#, #"{}"#, false),
        ])
    }

    @Test func prefixes() throws {
        try Row.check([
            Row(#"{"a":{"$beginsWith":"ab"}}"#, #"{"a":"abc"}"#, true),
            Row(#"{"a":{"$beginsWith":"ab"}}"#, #"{"a":"ab"}"#, true),
            Row(#"{"a":{"$beginsWith":"ab"}}"#, #"{"a":"a"}"#, false),
            Row(#"{"a":{"$beginsWith":"ab"}}"#, #"{"a":"ABC"}"#, false),
            Row(#"{"a":{"$beginsWith":"ab"}}"#, #"{"a":"xab"}"#, false),
            Row(#"{"a":{"$beginsWith":""}}"#, #"{"a":""}"#, true),
            Row(#"{"a":{"$beginsWith":""}}"#, #"{"a":5}"#, false),
            Row(#"{"a":{"$beginsWith":"1"}}"#, #"{"a":12}"#, false),
            Row(#"{"a":{"$beginsWith":"a"}}"#, #"{"a":["a"]}"#, false),
            Row(#"{"a":{"$beginsWith":"a"}}"#, #"{}"#, false),
            Row(#"{"a":{"$beginsWith":"\\"}}"#, #"{"a":"\n"}"#, false),
            Row(#"{"a":{"$beginsWith":"\\"}}"#, #"{"a":"\\x"}"#, true),
            Row(#"{"a":{"$beginsWith":"\""}}"#, #"{"a":"\"x"}"#, true),
            Row(#"{"a":{"$beginsWith":"a\n"}}"#, #"{"a":"a\nb"}"#, true),
            Row(#"{"a":{"$beginsWith":"a"}}"#, #"{"a":"a\u0001"}"#, true),
            Row(#"{"a":{"$beginsWith":"caf\u00e9"}}"#, #"{"a":"caf\u00e9s"}"#, true),
            Row(#"{"a":{"$beginsWith":"caf\u00e9"}}"#, #"{"a":"cafe\u0301s"}"#, false),
            // Not within what people see as one character.
            Row(#"{"a":{"$beginsWith":"cafe"}}"#, #"{"a":"cafe\u0301s"}"#, false),
            Row(#"{"a":{"$beginsWith":"cafe"}}"#, #"{"a":"cafes"}"#, true),
            Row(#"{"a":{"$beginsWith":"cafe"}}"#, #"{"a":"cafeé"}"#, true),
            Row(#"{"a":{"$beginsWith":"a\r"}}"#, #"{"a":"a\r\nb"}"#, false),
            Row(#"{"a":{"$beginsWith":"a\r"}}"#, #"{"a":"a\rb"}"#, true),
            Row(#"{"a":{"$beginsWith":"👍"}}"#, #"{"a":"👍🏽"}"#, false),
            Row(#"{"a":{"$beginsWith":"👍"}}"#, #"{"a":"👍👍"}"#, true),
        ])
    }
}
