import Foundation
internal import SetteeDocumentValues
import SetteeJSONSchema
import StorageProtocol
import Testing

@Suite("Schemas in files")
struct SchemaFileTests {
    private func withFile(_ text: String, _ body: (URL) throws -> Void) throws {
        let url = FileManager.default.temporaryDirectory.appending(path: "settee-schema-\(UUID().uuidString).json")
        defer { try? FileManager.default.removeItem(at: url) }
        try Data(text.utf8).write(to: url)
        try body(url)
    }

    @Test func aSchemaIsReadFromAFile() throws {
        try withFile(##"{"properties":{"n":{"$ref":"#/definitions/n"}},"definitions":{"n":{"type":"integer"}}}"##) {
            url in
            let schema = try JSONSchema(contentsOf: url)
            #expect(schema.isValid(["n": 1]) && !schema.isValid(["n": "x"]))
        }
    }

    @Test func referencesAreRelativeToTheFile() throws {
        try withFile(#"{"$ref":"other.json"}"#) { url in
            let other = url.deletingLastPathComponent().appending(path: "other.json").absoluteString
            let schema = try JSONSchema(contentsOf: url, documents: [other: ["type": "string"]])
            #expect(schema.isValid("x") && !schema.isValid(1))
            #expect(throws: JSONSchema.Fault.self) { try JSONSchema(contentsOf: url) }
        }
    }

    @Test func whatCannotBeReadIsAFaultThatNamesTheFile() throws {
        let missing = FileManager.default.temporaryDirectory.appending(path: "settee-none-\(UUID().uuidString)")
        let folder = FileManager.default.temporaryDirectory
        for url in [missing, folder, try #require(URL(string: "https://example.org/schema"))] {
            let fault = try #require(throws: JSONSchema.Fault.self) { try JSONSchema(contentsOf: url) }
            #expect(fault.location.contains(url.lastPathComponent))
        }
        try withFile("{") { url in #expect(throws: JSONSchema.Fault.self) { try JSONSchema(contentsOf: url) } }
        #if os(Linux)
        // An endless file.
        let endless = URL(filePath: "/dev/zero")
        #expect(throws: JSONSchema.Fault.self) { try JSONSchema(contentsOf: endless) }
        #endif
    }

    @Test func faultsAndFailuresHaveDescriptions() throws {
        let fault = try #require(throws: JSONSchema.Fault.self) { try JSONSchema(["type": "sting"]) }
        #expect((fault as any Error).localizedDescription == fault.description)
        #expect(fault.failureReason == fault.message)
        let schema = try JSONSchema(["type": "string"])
        let failure = try #require(throws: JSONSchema.Failure.self) { try schema.validate(5) }
        #expect((failure as any Error).localizedDescription == failure.description)
    }
}
