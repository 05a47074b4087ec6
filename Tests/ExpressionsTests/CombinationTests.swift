import Testing

/// `$and`, `$or`, `$not`, `$nor`.
@Suite struct CombinationTests {
    @Test func andAndOr() throws {
        try Row.check([
            Row(#"{"$and":[{"a":1},{"b":2}]}"#, #"{"a":1,"b":2}"#, true),
            Row(#"{"$and":[{"a":1},{"b":2}]}"#, #"{"a":1,"b":3}"#, false),
            Row(#"{"$and":[]}"#, #"{"a":1}"#, true),
            Row(#"{"$or":[{"a":1},{"b":2}]}"#, #"{"b":2}"#, true),
            Row(#"{"$or":[{"a":1},{"b":2}]}"#, #"{"b":3}"#, false),
            Row(#"{"$or":[]}"#, #"{"a":1}"#, true),
            Row(#"{"a":1,"$or":[{"b":1},{"b":2}]}"#, #"{"a":1,"b":2}"#, true),
            Row(#"{"a":1,"$or":[{"b":1},{"b":2}]}"#, #"{"a":2,"b":2}"#, false),
            Row(#"{"a":{"$or":[{"$lt":1},{"$gt":5}]}}"#, #"{"a":6}"#, true),
            Row(#"{"a":{"$or":[{"$lt":1},{"$gt":5}]}}"#, #"{"a":3}"#, false),
            Row(#"{"a":{"$or":[1,2]}}"#, #"{"a":2}"#, true),
            Row(#"{"a":{"$and":[{"$gt":1},{"$lt":3}]}}"#, #"{"a":2}"#, true),
            Row(#"{"a":{"$and":[{"b":1},{"c":2}]}}"#, #"{"a":{"b":1,"c":2}}"#, true),
            Row(#"{"a":{"$or":[]}}"#, #"{}"#, true),
            Row(#"{"$and":[{"$or":[{"a":1},{"a":2}]},{"$or":[{"b":1},{"b":2}]}]}"#, #"{"a":2,"b":1}"#, true),
            Row(#"{"$and":[{"$or":[{"a":1},{"a":2}]},{"$or":[{"b":1},{"b":2}]}]}"#, #"{"a":2,"b":3}"#, false),
        ])
    }

    @Test func not() throws {
        try Row.check([
            Row(#"{"$not":{"a":1}}"#, #"{"a":2}"#, true),
            Row(#"{"$not":{"a":1}}"#, #"{"a":1}"#, false),
            Row(#"{"$not":{"a":1}}"#, #"{}"#, false),
            Row(#"{"a":{"$not":{"$eq":1}}}"#, #"{"a":2}"#, true),
            Row(#"{"a":{"$not":{"$eq":1}}}"#, #"{}"#, false),
            Row(#"{"a":{"$not":{"$gt":1}}}"#, #"{"a":1}"#, true),
            Row(#"{"a":{"$not":{"$gte":1}}}"#, #"{"a":1}"#, false),
            Row(#"{"a":{"$not":{"$lt":1}}}"#, #"{"a":1}"#, true),
            Row(#"{"a":{"$not":{"$lte":1}}}"#, #"{"a":1}"#, false),
            Row(#"{"a":{"$not":{"$ne":1}}}"#, #"{"a":1}"#, true),
            Row(#"{"a":{"$not":{"$in":[1]}}}"#, #"{"a":2}"#, true),
            Row(#"{"a":{"$not":{"$in":[1]}}}"#, #"{}"#, false),
            Row(#"{"a":{"$not":{"$nin":[1]}}}"#, #"{"a":1}"#, true),
            Row(#"{"a":{"$not":{"$exists":true}}}"#, #"{}"#, true),
            Row(#"{"a":{"$not":{"$exists":false}}}"#, #"{}"#, false),
            Row(#"{"$not":{"a":{"$exists":false}}}"#, #"{"a":0}"#, true),
            Row(#"{"a":{"$not":{"$regex":"x"}}}"#, #"{"a":"y"}"#, true),
            Row(#"{"a":{"$not":{"$regex":"x"}}}"#, #"{"a":5}"#, true),
            Row(#"{"a":{"$not":{"$regex":"x"}}}"#, #"{}"#, false),
            Row(#"{"a":{"$not":{"$type":"string"}}}"#, #"{"a":5}"#, true),
            Row(#"{"a":{"$not":{"$type":"string"}}}"#, #"{}"#, false),
            Row(#"{"a":{"$not":{"$size":1}}}"#, #"{"a":5}"#, true),
            Row(#"{"a":{"$not":{"$all":[1]}}}"#, #"{"a":[2]}"#, true),
            Row(#"{"a":{"$not":{"$mod":[2,0]}}}"#, #"{"a":3}"#, true),
            Row(#"{"a":{"$not":{"$beginsWith":"x"}}}"#, #"{"a":"yx"}"#, true),
            Row(#"{"a":{"$not":{"$elemMatch":{"$gt":5}}}}"#, #"{"a":[1,2]}"#, true),
            Row(#"{"a":{"$not":{"$elemMatch":{"$gt":5}}}}"#, #"{"a":[1,6]}"#, false),
            Row(#"{"a":{"$not":{"$elemMatch":{"$gt":5}}}}"#, #"{}"#, false),
            Row(#"{"$not":{"a":1,"b":2}}"#, #"{"a":1,"b":3}"#, true),
            Row(#"{"$not":{"a":1,"b":2}}"#, #"{"a":1,"b":2}"#, false),
            Row(#"{"$not":{"$not":{"a":1}}}"#, #"{"a":1}"#, true),
            Row(#"{"$not":{"$not":{"a":1}}}"#, #"{"a":2}"#, false),
            Row(#"{"$not":{"$and":[{"a":1},{"b":2}]}}"#, #"{"a":2,"b":2}"#, true),
            Row(#"{"$not":{"$or":[{"a":1},{"b":2}]}}"#, #"{"a":2,"b":3}"#, true),
            Row(#"{"$not":{"$or":[{"a":1},{"b":2}]}}"#, #"{"a":2,"b":2}"#, false),
            Row(#"{"$not":{"$or":[{"a":1},{"b":2}]}}"#, #"{"a":2}"#, false),
            Row(#"{"$not":{"$nor":[{"a":1},{"b":2}]}}"#, #"{"b":2}"#, true),
            Row(#"{"$not":{"$nor":[{"a":1},{"b":2}]}}"#, #"{}"#, false),
            // Empty ones are true even if negated.
            Row(#"{"$not":{"$and":[]}}"#, #"{}"#, true),
            Row(#"{"$not":{"$or":[]}}"#, #"{}"#, true),
            Row(#"{"$not":{"$nor":[]}}"#, #"{}"#, true),
        ])
    }

    @Test func nor() throws {
        try Row.check([
            Row(#"{"$nor":[{"a":1},{"b":2}]}"#, #"{"a":2,"b":3}"#, true),
            Row(#"{"$nor":[{"a":1},{"b":2}]}"#, #"{"a":2,"b":2}"#, false),
            Row(#"{"$nor":[{"a":1},{"b":2}]}"#, #"{"a":2}"#, false),
            Row(#"{"$nor":[]}"#, #"{}"#, true),
            Row(#"{"a":{"$nor":[1,2]}}"#, #"{"a":3}"#, true),
            Row(#"{"a":{"$nor":[{"$lt":1},{"$gt":5}]}}"#, #"{"a":3}"#, true),
            Row(#"{"a":{"$nor":[{"$lt":1},{"$gt":5}]}}"#, #"{"a":0}"#, false),
            Row(#"{"$nor":[{"$nor":[{"a":1}]}]}"#, #"{"a":1}"#, true),
            Row(#"{"$nor":[{"$not":{"a":1}}]}"#, #"{"a":1}"#, true),
        ])
    }

    /// Within conditions on elements, CouchDB does not move negations to the fields, so that missing ones pass.
    @Test func negationsOfElements() throws {
        try Row.check([
            Row(#"{"a":{"$elemMatch":{"b":{"$not":{"$eq":1}}}}}"#, #"{"a":[{"b":2}]}"#, true),
            Row(#"{"a":{"$elemMatch":{"b":{"$not":{"$eq":1}}}}}"#, #"{"a":[{"b":1}]}"#, false),
            Row(#"{"a":{"$elemMatch":{"b":{"$not":{"$eq":1}}}}}"#, #"{"a":[{}]}"#, true),
            Row(#"{"a":{"$elemMatch":{"$not":{"b":1}}}}"#, #"{"a":[{}]}"#, true),
            Row(#"{"a":{"$allMatch":{"$not":{"$gt":3}}}}"#, #"{"a":[1,3]}"#, true),
            Row(#"{"a":{"$allMatch":{"$not":{"$gt":3}}}}"#, #"{"a":[1,4]}"#, false),
            Row(#"{"a":{"$elemMatch":{"$nor":[{"b":1},{"c":1}]}}}"#, #"{"a":[{"b":1},{"c":2}]}"#, true),
            Row(#"{"a":{"$elemMatch":{"$nor":[{"b":1},{"c":1}]}}}"#, #"{"a":[{"b":1},{"c":1}]}"#, false),
            Row(#"{"a":{"$elemMatch":{"$not":{"$or":[]}}}}"#, #"{"a":[1]}"#, false),
            Row(#"{"a":{"$not":{"$elemMatch":{"$not":{"b":1}}}}}"#, #"{"a":[{"b":1}]}"#, true),
            Row(#"{"a":{"$not":{"$elemMatch":{"$not":{"b":1}}}}}"#, #"{"a":[{}]}"#, false),
        ])
    }
}
