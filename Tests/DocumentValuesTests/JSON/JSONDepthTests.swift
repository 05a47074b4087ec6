internal import SetteeDocumentValues
internal import StorageConformance
internal import StorageProtocol
internal import Testing

@Suite("JSON depth")
struct JSONDepthTests {
    private static func nested(_ depth: Int, object: Bool) -> String {
        object
            ? String(repeating: "{\"b\":0,\"a\":", count: depth) + "1" + String(repeating: "}", count: depth)
            : String(repeating: "[ ", count: depth) + String(repeating: "]", count: depth)
    }

    @Test("512 levels work on a stack of 512 KiB, 513 are refused", arguments: [false, true])
    func limit(object: Bool) throws {
        let text = JSONDepthTests.nested(512, object: object)
        let deeper = JSONDepthTests.nested(513, object: object)
        let same = try onSmallStack {
            let value = try JSONValue(parsing: text)
            let bytes = try value.canonicalBytes()
            let again = try JSONValue(parsing: bytes)
            let copies = Set([value, again])
            let written = try canonical(text)
            return copies.count == 1 && value == again && written == value.description
        }
        #expect(same)
        #expect(code { _ = try JSONValue(parsing: deeper) } == .badJSON)
        #expect(code { _ = try JSONValue(parsing: String(repeating: "[", count: 1_000_000)) } == .badJSON)
    }

    @Test("values nested too deep are refused by the writer")
    func writer() throws {
        let thrown = try onSmallStack {
            var value: JSONValue = 1
            for _ in 0..<512 { value = ["a": value] }
            _ = try value.canonicalBytes()
            return code { _ = try JSONValue.array([value]).canonicalBytes() }
        }
        #expect(thrown == .badJSON)
    }
}
