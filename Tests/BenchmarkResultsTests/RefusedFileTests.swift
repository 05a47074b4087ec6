import Foundation
import SetteeBenchmarkResults
import Testing

@Suite("Files of results that are refused")
struct RefusedFileTests {
    private func reason(_ json: Data) -> String? {
        do throws(BenchmarkFileError) {
            _ = try BenchmarkFile(json: json)
            return nil
        } catch {
            return error.description
        }
    }

    @Test(
        "What is no object, or not JSON",
        arguments: [
            "", " ", "null", "[]", "1", "\"format\"", "{", "{}", "\u{FEFF}{}", "{\"format\": 0}", "{\"format\": -1}",
            "{\"format\": 1.5}", "{\"format\": \"1\"}", "{\"format\": 1}", "{\"format\": 1, \"environment\": null}",
            "{\"format\": 1e400}", "{\"format\": 99999999999999999999999}", "{\"format\": NaN}",
        ]
    )
    func noObject(text: String) {
        #expect(reason(Data(text.utf8)) != nil)
    }

    @Test("Bytes that are no text, and depth")
    func bytes() {
        #expect(reason(Data([0xFF, 0xFE, 0x00, 0xD8])) != nil)
        #expect(reason(Data(repeating: UInt8(ascii: "["), count: 1_000_000)) != nil)
        #expect(reason(Data(#"{"format": 1, "a": "\#u{0}"}"#.utf8)) != nil)
        #expect(
            reason(Data(repeating: UInt8(ascii: " "), count: (64 << 20) + 1))?.contains("more than 67108864 bytes")
                == true
        )
    }

    /// A member's value, what takes its place, and what the message then names.
    @Test(
        "A value that cannot be",
        arguments: [
            ("\"opsPerSecond\":1000,", "\"opsPerSecond\":-1,", "results[0].opsPerSecond"),
            ("\"opsPerSecond\":1000,", "\"opsPerSecond\":1e19,", "results[0].opsPerSecond"),
            ("\"opsPerSecond\":1000,", "\"opsPerSecond\":1e-300,", "results[0].opsPerSecond"),
            ("\"opsPerSecond\":1000,", "\"opsPerSecond\":\"secret\",", "results[0].opsPerSecond"),
            ("\"opsPerSecond\":1000,", "\"opsPerSecond\":null,", "results[0].opsPerSecond"),
            ("\"opsPerSecond\":1000,", "\"opsPerSecond\":true,", "results[0].opsPerSecond"),
            ("\"opsPerSecond\":1000,", "", "results[0].opsPerSecond is missing"),
            ("\"opsPerSecond\":1000,", "\"opsPerSecond\":1e400,", "out of range"),
            ("\"opsPerSecond\":1000,", "\"opsPerSecond\":NaN,", "not JSON"),
            ("\"opsPerSecond\":990", "\"opsPerSecond\":-990", "results[0].rounds[0].opsPerSecond"),
            ("\"documents\":10000", "\"documents\":-1", "results[0] has documents"),
            ("\"documents\":10000", "\"documents\":1e30", "number out of range"),
            ("\"documents\":10000", "\"documents\":0.5", "number out of range"),
            ("\"engine\":\"memory\"", "\"engine\":\"\"", "results[0] has an engine"),
            ("\"engine\":\"memory\"", "\"engine\":7", "results[0].engine"),
            ("\"engine\":\"memory\",", "\"engine\":\"memory\",\"p50\":1,\"p99\":2,\"p999\":-3,", "results[0].p999"),
            (
                "\"engine\":\"memory\",",
                "\"engine\":\"memory\",\"p50\":1,\"p99\":2,\"p999\":3,\"latencyCurve\":[[1]],",
                "results[0].latencyCurve[0]"
            ),
            (
                "\"engine\":\"memory\",",
                "\"engine\":\"memory\",\"p50\":1,\"p99\":2,\"p999\":3,\"latencyCurve\":[[1,2],[0.5,3]],",
                "results[0].latencyCurve[1]"
            ),
            ("\"libraries\":{", "\"libraries\":{\"secret\":1,", "environment.libraries has"),
            ("\"seed\":42", "\"seed\":-42", "number out of range"),
            ("\"leftOut\":[]", "\"leftOut\":[{}]", "leftOut[0].engine is missing"),
        ]
    )
    func impossible(member: String, replacement: String, named: String) throws {
        let text = String(decoding: try Sample.file([Sample.entry("memory")]).json(onOneLine: true), as: UTF8.self)
        try #require(text.contains(member))
        let message = try #require(reason(Data(text.replacing(member, with: replacement, maxReplacements: 1).utf8)))
        #expect(message.contains(named))
        #expect(!message.contains("secret"))
    }

    @Test("Two entries of one engine, workload and number of documents")
    func duplicates() throws {
        let file = Sample.file([Sample.entry("memory"), Sample.entry("lmdb"), Sample.entry("memory")])
        #expect(reason(try file.json())?.contains("results[2]") == true)
        let other = Sample.file([Sample.entry("memory"), Sample.entry("memory", documents: 20)])
        #expect(reason(try other.json()) == nil)
    }

    @Test("Arrays of enormous length")
    func longArrays() throws {
        let rounds = Sample.entry("memory", rates: Array(repeating: 1, count: 1001))
        #expect(reason(try Sample.file([rounds]).json())?.contains("results[0].rounds") == true)
        let entries = (0...10_000).map { Sample.entry("memory", documents: $0, rates: [1]) }
        #expect(reason(try Sample.file(entries).json())?.contains("results has more than 10000") == true)
    }

    @Test("A figure that is not finite is not written")
    func notFinite() {
        var entry = Sample.entry("memory")
        entry.cpuMicroseconds = .infinity
        #expect(throws: EncodingError.self) { try Sample.file([entry]).json() }
    }
}
