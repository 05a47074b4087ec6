import SetteeDocumentValues
import SetteeJSONSchema
import StorageProtocol
import Testing

/// What a failure reports, and that no schema or value crashes the program.
@Suite struct FailureTests {
    @Test func failuresTellPlaceAndKeyword() throws {
        let schema = try JSONSchema(
            [
                "properties": [
                    "a/b": ["items": ["$ref": "#/definitions/word"]], "n": ["maximum": 3, "multipleOf": 2],
                ],
                "additionalProperties": false,
                "required": ["id"],
                "definitions": ["word": ["type": "string", "maxLength": 3]],
            ],
            uri: "http://e/s"
        )
        let failures = schema.failures(in: ["a/b": ["x", "secret", 5], "n": 7, "other": 1])
        #expect(
            failures.map { "\($0.instancePath) \($0.schemaPath) \($0.keyword)" } == [
                " http://e/s#/required required",
                "/a~1b/1 http://e/s#/definitions/word/maxLength maxLength",
                "/a~1b/2 http://e/s#/definitions/word/type type",
                "/n http://e/s#/properties/n/multipleOf multipleOf",
                "/n http://e/s#/properties/n/maximum maximum",
                "/other http://e/s#/additionalProperties additionalProperties",
            ]
        )
        #expect(!failures.contains { $0.description.contains("secret") })
        #expect(schema.failures(in: ["n": 7], limit: 1).count == 1)
        #expect(throws: JSONSchema.Failure.self) { try schema.validate(["n": 7]) }
        let other = try JSONSchema(["required": ["id"]])
        try other.validate(["id": 1])
    }

    @Test func alternativesTellWhy() throws {
        let schema = try JSONSchema(["oneOf": [["type": "string"], ["minimum": 5], ["not": ["type": "number"]]]])
        let failure = try #require(schema.failures(in: 3).first)
        #expect(failure.causes.map(\.keyword) == ["type", "minimum", "not"])
        #expect(failure.description.contains("the document: is below the minimum"))
        #expect(schema.failures(in: 7).isEmpty)
        #expect(schema.failures(in: "x").first?.causes.isEmpty == true)
    }

    @Test func depthCostsNoStack() throws {
        var schema: JSONValue = ["type": "null"]
        var value: JSONValue = nil
        for _ in 0..<400 {
            schema = ["items": ["allOf": [["anyOf": [schema]]]]]
            value = [value]
        }
        let compiled = try JSONSchema(schema)
        #expect(compiled.isValid(value))
        #expect(!compiled.isValid([value]))
        let recursive = try JSONSchema(["items": ["$ref": "#"], "type": ["array", "null"], "uniqueItems": true])
        #expect(recursive.isValid(value))
        #expect(!recursive.isValid([value, value]))
    }

    /// Two references at each of 60 levels are 2^60 ways.
    @Test(.timeLimit(.minutes(5))) func partsThatMultiplyAreGivenUp() throws {
        var definitions: JSONObject = ["0": ["type": "null"]]
        for level in 1...60 {
            let inner: JSONValue = ["$ref": "#/definitions/\(level - 1)"]
            definitions["\(level)"] = ["anyOf": [inner, inner]]
        }
        let schema = try JSONSchema(["$ref": "#/definitions/60", "definitions": .object(definitions)])
        #expect(schema.isValid(nil))
        let failures = schema.failures(in: 1)
        #expect(failures.map(\.keyword) == [""])
    }

    @Test(.timeLimit(.minutes(5))) func manyElementsAreNotComparedPairwise() throws {
        let elements = (0..<100_000).map { JSONValue.object(["n": .int(Int64($0))]) }
        let schema = try JSONSchema(["uniqueItems": true, "items": ["type": "object", "required": ["n"]]])
        #expect(schema.isValid(.array(elements)))
        #expect(!schema.isValid(.array(elements + [["n": 99_999.0]])))
    }
}
