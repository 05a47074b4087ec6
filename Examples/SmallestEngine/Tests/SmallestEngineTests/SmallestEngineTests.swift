import Foundation
import SmallestEngine
import StorageConformance
import StorageProtocol
import Testing

@Suite
struct SmallestEngineTests {
    static func row() throws -> EngineCase {
        EngineCase(
            name: "smallest",
            factory: try SmallestEngineFactory(),
            startPart: { part, directory in try Probe.start(part, directory) }
        )
    }

    @Test(arguments: Conformance.tests)
    func keepsItsPromises(test: ConformanceTest) throws { try test.run(on: Self.row()) }

    @Test(arguments: [1, 2, 3] as [UInt64])
    func answersRandomWorkAsTheModelDoes(seed: UInt64) throws {
        try RandomOperations.run(seed: seed, count: 300, on: Self.row())
    }

    @Test("its sources have under 500 lines")
    func staysSmall() throws {
        let package = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("../..")
            .standardized
        let sources = package.appendingPathComponent("Sources/SmallestEngine")
        let files = try FileManager.default.contentsOfDirectory(at: sources, includingPropertiesForKeys: nil)
        let lines = try files.map {
            try String(contentsOf: $0, encoding: .utf8).split(separator: "\n", omittingEmptySubsequences: false).count
                - 1
        }
        #expect(files.count > 3)
        #expect(lines.reduce(0, +) < 500)
    }
}
