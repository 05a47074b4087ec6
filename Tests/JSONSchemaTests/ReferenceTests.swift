import SetteeDocumentValues
import SetteeJSONSchema
import StorageProtocol
import Testing

/// References, faults of schemas, and the meta-schema.
@Suite struct ReferenceTests {
    private func fault(_ schema: JSONValue, documents: [String: JSONValue] = [:]) -> JSONSchema.Fault? {
        do throws(JSONSchema.Fault) {
            _ = try JSONSchema(schema, documents: documents)
            return nil
        } catch {
            return error
        }
    }

    @Test func whatIsNotGivenIsNotFetched() throws {
        let missing = fault(["properties": ["a": ["$ref": "http://example.com/x.json"]]])
        #expect(missing?.location == "#/properties/a/$ref")
        #expect(missing?.message.contains("http://example.com/x.json") == true)
        #expect(fault(["$ref": "#/definitions/none"])?.location == "#/$ref")
        #expect(fault(["$ref": "#none"])?.location == "#/$ref")
        #expect(fault(["$ref": "#/%zz"])?.location == "#/$ref")
        #expect(fault(["$ref": "#/a~2"]) != nil)
        #expect(fault(["$ref": 1])?.location == "#/$ref")
        let remote = fault(["$ref": "http://e/x"], documents: ["http://e/x": ["type": "thing"]])
        #expect(remote?.location == "http://e/x#/type")
        // No reference leads there.
        #expect(fault(["definitions": ["a": ["$ref": "http://example.com/x.json"]]]) == nil)
    }

    @Test func referencesFindTheirWay() throws {
        let schema = try JSONSchema(
            [
                "items": [
                    ["$ref": "#/x~1y/0"], ["$ref": "other.json#/a%20b"], ["$ref": "../up.json"],
                    ["$ref": "#/definitions/chain"], ["$ref": "http://e/dir/main.json#/items/0"],
                ],
                "x/y": [["type": "string"]],
                "definitions": ["chain": ["items": ["$ref": "#/definitions/chain"], "type": "array"]],
            ],
            uri: "http://e/dir/main.json#",
            documents: [
                "http://e/dir/other.json": ["a b": ["type": "null"]],
                "http://e/up.json#": ["type": "boolean"],
            ]
        )
        #expect(schema.isValid(["s", nil, true, [[], [[]]], "t"]))
        for (index, wrong) in ([1, 1, 1, [[1]], 1] as [JSONValue]).enumerated() {
            var values: [JSONValue] = ["s", nil, true, [], "t"]
            values[index] = wrong
            #expect(schema.failures(in: .array(values)).first?.instancePath.description.hasPrefix("/\(index)") == true)
        }
    }

    @Test(arguments: [
        ##"{"$ref":"#"}"##, ##"{"allOf":[{"$ref":"#"}]}"##, ##"{"not":{"$ref":"#"}}"##,
        ##"{"type":["null",{"$ref":"#"}]}"##, ##"{"dependencies":{"a":{"oneOf":[{"anyOf":[{"$ref":"#"}]}]}}}"##,
        ##"{"allOf":[{"$ref":"#/definitions/a"}],"definitions":{"a":{"$ref":"#/definitions/b"},"b":{"$ref":"#/definitions/a"}}}"##,
    ])
    func loopsAreRefused(_ schema: String) throws {
        #expect(fault(try JSONValue(parsing: schema))?.message.contains("never end") == true)
    }

    /// Schemas and where their fault is; those without one are valid.
    private static let faults: [(String, String?)] = [
        ("{}", nil), (##"{"type":"object","items":{"$ref":"#"}}"##, nil), ("1", "#"), (#"{"type":"any"}"#, "#/type"),
        (#"{"type":[]}"#, "#/type"), (#"{"type":["null",1]}"#, "#/type/1"),
        (#"{"properties":{"a/b":{"minimum":"1"}}}"#, "#/properties/a~1b/minimum"),
        (#"{"maxLength":-1}"#, "#/maxLength"), (#"{"maxLength":1.5}"#, "#/maxLength"), (#"{"maxLength":2.0}"#, nil),
        (#"{"maxItems":1e300}"#, nil), (#"{"multipleOf":0}"#, "#/multipleOf"), (#"{"multipleOf":-1}"#, "#/multipleOf"),
        (#"{"required":[]}"#, "#/required"), (#"{"required":true}"#, "#/required"),
        (#"{"required":[1]}"#, "#/required"), (#"{"enum":[]}"#, "#/enum"), (#"{"allOf":[]}"#, "#/allOf"),
        (#"{"anyOf":[true]}"#, "#/anyOf/0"), (#"{"not":1}"#, "#/not"), (#"{"items":[]}"#, "#/items"),
        (#"{"items":[1]}"#, "#/items/0"), (#"{"additionalItems":1,"items":[{}]}"#, "#/additionalItems"),
        (#"{"additionalProperties":"no"}"#, "#/additionalProperties"), (#"{"properties":[]}"#, "#/properties"),
        (#"{"patternProperties":{"(":{}}}"#, "#/patternProperties/("), (#"{"pattern":"["}"#, "#/pattern"),
        (#"{"dependencies":{"a":"b"}}"#, "#/dependencies/a"), (#"{"dependencies":{"a":[]}}"#, "#/dependencies/a"),
        (#"{"exclusiveMaximum":true}"#, "#/exclusiveMaximum"), (#"{"uniqueItems":1}"#, "#/uniqueItems"),
        (#"{"format":1}"#, "#/format"), (##"{"$schema":"http://json-schema.org/draft-07/schema#"}"##, "#/$schema"),
        (##"{"$schema":"http://json-schema.org/draft-04/schema#","type":"null"}"##, nil),
    ]

    @Test(arguments: faults) func faultsHaveAPlace(_ schema: String, _ place: String?) throws {
        #expect(fault(try JSONValue(parsing: schema))?.location == place)
    }

    @Test func selfValidationLooksEverywhere() throws {
        let schema = try JSONSchema(["definitions": ["unused": ["properties": ["a": ["type": "thing"]]]]])
        #expect(throws: JSONSchema.Fault.self) { try schema.selfValidate() }
        do throws(JSONSchema.Fault) { try schema.selfValidate() } catch {
            #expect(error.location == "#/definitions/unused/properties/a/type")
        }
        // More lenient in `type`, and only there.
        try JSONSchema(["type": ["object", ["required": ["a"]]]]).selfValidate()
        for wrong in [["type": [1]], ["type": ["null", ["minLength": -1]]], ["items": [[:], "null"]]] as [JSONValue] {
            let unused = try JSONSchema(["definitions": ["unused": wrong]])
            #expect(throws: JSONSchema.Fault.self) { try unused.selfValidate() }
        }
        try JSONSchema(["$ref": "http://json-schema.org/draft-04/schema#"]).selfValidate()
    }

    @Test func textIsRead() throws {
        #expect(try JSONSchema(parsing: Array(#"{"type":"null"}"#.utf8)).isValid(nil))
        #expect(throws: JSONSchema.Fault.self) { try JSONSchema(parsing: Array("{".utf8)) }
    }
}
