internal import Foundation
internal import SetteeDocumentValues
internal import Testing

private let sampleFolder = ProcessInfo.processInfo.environment["SETTEE_SAMPLE_DATA"]

/// Files of the folder that SETTEE_SAMPLE_DATA names, each below `json/`.
@Suite(
    "JSON sample files",
    .enabled(if: sampleFolder != nil, "SETTEE_SAMPLE_DATA names no folder of samples")
)
struct JSONSampleTests {
    private static func read(_ name: String) throws -> [UInt8] {
        let url = URL(fileURLWithPath: try #require(sampleFolder)).appending(path: "json/\(name)")
        return Array(try Data(contentsOf: url))
    }

    @Test("a file keeps its meaning", arguments: ["twitter.json", "citm_catalog.json", "gsoc-2018.json"])
    func meaning(name: String) throws {
        let text = try JSONSampleTests.read(name)
        let value = try JSONValue(parsing: text)
        let bytes = try value.canonicalBytes()
        #expect(try Array(canonical(text).utf8) == bytes)
        #expect(try Array(canonical(bytes).utf8) == bytes)
        #expect(try JSONValue(parsing: bytes) == value)
        let theirs = try JSONSerialization.jsonObject(with: Data(text)) as? NSDictionary
        let ours = try JSONSerialization.jsonObject(with: Data(bytes)) as? NSDictionary
        #expect(theirs != nil && theirs == ours)
    }

    @Test(
        "a file is split",
        arguments: [
            ("names_100.json", "", 100), ("profiles_100.json", "", 100), ("twitter.json", "/statuses", 100),
            ("citm_catalog.json", "/performances", 243), ("citm_catalog.json", "/events", 184),
            ("citm_catalog.json", "", 1),
        ]
    )
    func split(name: String, pointer: String, count: Int) throws {
        let text = try JSONSampleTests.read(name)
        for chunk in [1000, 65_536, 10_000_000] {
            var splitter = JSONElementSplitter(at: try JSONPointer(pointer))
            var found = 0
            for start in stride(from: 0, to: text.count, by: chunk) {
                splitter.append(Array(text[start..<min(text.count, start + chunk)]))
                while let element = try splitter.next() {
                    _ = try JSONValue(parsing: element.text)
                    found += 1
                }
            }
            splitter.finish()
            while let element = try splitter.next() {
                _ = try JSONValue(parsing: element.text)
                found += 1
            }
            #expect(found == count, "chunks of \(chunk)")
        }
    }
}
