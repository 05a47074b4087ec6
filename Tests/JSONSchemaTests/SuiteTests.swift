import Foundation
import SetteeDocumentValues
import SetteeJSONSchema
import StorageProtocol
import Testing

/// The official tests of draft 4 (Suite; json-schema-org/JSON-Schema-Test-Suite, without its optional part).
@Suite struct SuiteTests {
    /// The number of tests in each file, so that none is lost unnoticed.
    static let counts = [
        "additionalItems": 17, "additionalProperties": 16, "allOf": 27, "anyOf": 15, "default": 7, "definitions": 2,
        "dependencies": 29, "enum": 49, "format": 36, "infinite-loop-detection": 2, "items": 21, "maxItems": 4,
        "maxLength": 5, "maxProperties": 8, "maximum": 14, "minItems": 4, "minLength": 5, "minProperties": 8,
        "minimum": 17, "multipleOf": 11, "not": 20, "oneOf": 23, "pattern": 9, "patternProperties": 18,
        "properties": 24, "ref": 45, "refRemote": 17, "required": 17, "type": 79, "uniqueItems": 69,
    ]

    static var folder: URL {
        get throws { try #require(Bundle.module.url(forResource: "Suite", withExtension: nil)) }
    }

    static func read(_ file: URL) throws -> JSONValue { try JSONValue(parsing: [UInt8](Data(contentsOf: file))) }

    /// The documents that the suite expects at `http://localhost:1234/`.
    static func remotes() throws -> [String: JSONValue] {
        let root = try folder.appending(path: "remotes")
        var documents: [String: JSONValue] = [:]
        for path in try FileManager.default.subpathsOfDirectory(atPath: root.path) where path.hasSuffix(".json") {
            documents["http://localhost:1234/" + path] = try read(root.appending(path: path))
        }
        return documents
    }

    @Test func everyFileIsThere() throws {
        let files = try FileManager.default.contentsOfDirectory(atPath: SuiteTests.folder.path)
        #expect(Set(files.filter { $0.hasSuffix(".json") }) == Set(SuiteTests.counts.keys.map { $0 + ".json" }))
        #expect(files.contains("LICENSE"))
        #expect(SuiteTests.counts.values.reduce(0, +) == 618)
        #expect(try SuiteTests.remotes().count == 9)
    }

    @Test(arguments: SuiteTests.counts.keys.sorted()) func passes(_ name: String) throws {
        let groups = try #require(SuiteTests.read(SuiteTests.folder.appending(path: name + ".json")).arrayValue)
        let remotes = try SuiteTests.remotes()
        var count = 0
        for group in groups {
            let schema = try JSONSchema(#require(group["schema"]), documents: remotes)
            try schema.selfValidate()
            for test in try #require(group["tests"]?.arrayValue) {
                count += 1
                let data = try #require(test["data"])
                let expected = try #require(test["valid"]?.boolValue as Bool?)
                let title: Comment = "\(group["description"] ?? ""): \(test["description"] ?? "")"
                #expect(schema.isValid(data) == expected, title)
                #expect(schema.failures(in: data).isEmpty == expected, title)
            }
        }
        #expect(count == SuiteTests.counts[name])
    }
}
