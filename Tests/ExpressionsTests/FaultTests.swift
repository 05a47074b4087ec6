import SetteeDocumentValues
import SetteeExpressions
import StorageProtocol
import Testing

/// Which selectors are refused, and what the refusal says.
@Suite struct FaultTests {
    /// Selectors and what the message begins with.
    private static let rows: [(selector: String, beginning: String)] = [
        ("[]", "Selector must be a JSON object"),
        ("null", "Selector must be a JSON object"),
        (#""a""#, "Selector must be a JSON object"),
        ("5", "Selector must be a JSON object"),
        (#"{"a":{"$foo":1}}"#, "Invalid operator: $foo"),
        (#"{"$foo":1}"#, "Invalid operator: $foo"),
        (#"{"$":1}"#, "Invalid operator: $"),
        (#"{"a":{"$GT":1}}"#, "Invalid operator: $GT"),
        (#"{"a":{"b":1,"$foo":1}}"#, "Invalid operator: $foo"),
        (#"{"a":{"$elemMatch":{"$foo":1}}}"#, "Invalid operator: $foo"),
        (#"{"$where":"x"}"#, "Unsupported operator: $where"),
        (#"{"a":{"$near":[1,2]}}"#, "Unsupported operator: $near"),
        (#"{"a":{"$nearSphere":[1,2]}}"#, "Unsupported operator: $nearSphere"),
        (#"{"a":{"$geoWithin":{}}}"#, "Unsupported operator: $geoWithin"),
        (#"{"a":{"$geoIntersects":{}}}"#, "Unsupported operator: $geoIntersects"),
        (#"{"$text":"x"}"#, "Unsupported operator: $text"),
        (#"{"$default":{"$text":"x"}}"#, "Unsupported operator: $default"),
        (#"{"$and":{}}"#, "Bad argument for operator $and"),
        (#"{"$or":{"a":1}}"#, "Bad argument for operator $or"),
        (#"{"$nor":1}"#, "Bad argument for operator $nor"),
        (#"{"$not":[]}"#, "Bad argument for operator $not"),
        (#"{"a":{"$not":1}}"#, "Bad argument for operator $not"),
        (#"{"a":{"$in":1}}"#, "Bad argument for operator $in"),
        (#"{"a":{"$in":{"b":1}}}"#, "Bad argument for operator $in"),
        (#"{"a":{"$nin":"x"}}"#, "Bad argument for operator $nin"),
        (#"{"a":{"$all":1}}"#, "Bad argument for operator $all"),
        (#"{"a":{"$exists":1}}"#, "Bad argument for operator $exists"),
        (#"{"a":{"$exists":"true"}}"#, "Bad argument for operator $exists"),
        (#"{"a":{"$type":1}}"#, "Bad argument for operator $type"),
        (#"{"a":{"$size":-1}}"#, "Bad argument for operator $size"),
        (#"{"a":{"$size":1.5}}"#, "Bad argument for operator $size"),
        (#"{"a":{"$size":"1"}}"#, "Bad argument for operator $size"),
        (#"{"a":{"$mod":5}}"#, "Bad argument for operator $mod"),
        (#"{"a":{"$mod":[5]}}"#, "Bad argument for operator $mod"),
        (#"{"a":{"$mod":[5,1,2]}}"#, "Bad argument for operator $mod"),
        (#"{"a":{"$mod":[5.5,1]}}"#, "Bad argument for operator $mod"),
        (#"{"a":{"$mod":[5,"1"]}}"#, "Bad argument for operator $mod"),
        (#"{"a":{"$mod":[0,1]}}"#, "Bad argument for operator $mod"),
        (#"{"a":{"$regex":1}}"#, "Bad argument for operator $regex"),
        (#"{"a":{"$regex":"("}}"#, "Bad argument for operator $regex"),
        (#"{"a":{"$regex":"["}}"#, "Bad argument for operator $regex"),
        (#"{"a":{"$regex":"*"}}"#, "Bad argument for operator $regex"),
        (#"{"a":{"$regex":"a{99999999999}"}}"#, "Bad argument for operator $regex"),
        (#"{"a":{"$regex":"\\"}}"#, "Bad argument for operator $regex"),
        (#"{"a":{"$beginsWith":1}}"#, "Bad argument for operator $beginsWith"),
        (#"{"a":{"$beginsWith":["x"]}}"#, "Bad argument for operator $beginsWith"),
        (#"{"a":{"$elemMatch":1}}"#, "Bad argument for operator $elemMatch"),
        (#"{"a":{"$elemMatch":[1]}}"#, "Bad argument for operator $elemMatch"),
        (#"{"a":{"$allMatch":"x"}}"#, "Bad argument for operator $allMatch"),
        (#"{"a":{"$keyMapMatch":null}}"#, "Bad argument for operator $keyMapMatch"),
        (#"{"":1}"#, "One or more conditions is missing a field name"),
        (#"{"$gt":1}"#, "One or more conditions is missing a field name"),
        (#"{"$not":{}}"#, "One or more conditions is missing a field name"),
        (#"{"$and":[1]}"#, "One or more conditions is missing a field name"),
        (#"{"$and":[{}]}"#, "One or more conditions is missing a field name"),
        (#"{"a":1,"$type":"object"}"#, "One or more conditions is missing a field name"),
        (#"{"$elemMatch":{"$eq":1}}"#, "One or more conditions is missing a field name"),
        (#"{"a..b":1}"#, "Invalid field name: a..b"),
        (#"{".a":1}"#, "Invalid field name: .a"),
        (#"{"a.":1}"#, "Invalid field name: a."),
        (#"{".":1}"#, "Invalid field name: ."),
        (#"{"a":{"":1}}"#, "Invalid field name: a."),
        (#"{"a\\.b..c":1}"#, "Invalid field name: a\\.b..c"),
        (#"{"a":{"$elemMatch":{"b..c":1}}}"#, "Invalid field name: b..c"),
    ]

    @Test func refusedSelectors() throws {
        for row in FaultTests.rows {
            let value = try JSONValue(parsing: row.selector)
            let error = #expect(throws: StorageError.self, "\(row.selector)") { try MangoSelector(value) }
            #expect(error?.code == .badRequest, "\(row.selector)")
            #expect(error?.message.hasPrefix(row.beginning) == true, "\(row.selector): \(error?.message ?? "")")
        }
    }

    @Test func textThatIsNoJSON() throws {
        for text in ["", "{", #"{"a":}"#, "{} {}", "\u{FEFF}{}"] {
            let bytes = Array(text.utf8)
            let error = #expect(throws: StorageError.self) { try MangoSelector(json: bytes.span.bytes) }
            #expect(error?.code == .badRequest, "\(text)")
        }
        let bytes = Array(#" { "a" : 1 } "#.utf8)
        let selector = try MangoSelector(json: bytes.span.bytes)
        let body = Array(#"{"a":1}"#.utf8)
        #expect(try selector.matches(body.span.bytes, id: "a", revision: RevisionID("1-a")))
    }

    /// Numbers that have no JSON text come only from Swift.
    @Test func valuesWithoutText() throws {
        for selector: JSONValue in [
            ["a": .double(.nan)], ["a": ["$in": [.double(.infinity)]]], ["a": ["$all": [.double(.nan)]]],
            ["a": ["$mod": [.double(.nan), 1]]],
        ] {
            let error = #expect(throws: StorageError.self) { try MangoSelector(selector) }
            #expect(error?.code == .badRequest)
        }
    }

    @Test func longNamesAreCutInMessages() throws {
        let name = "$" + String(repeating: "x", count: 5000)
        let error = #expect(throws: StorageError.self) { try MangoSelector(["a": [name: 1]]) }
        #expect(error.map { $0.message.utf8.count < 200 } == true)
    }
}
