import Foundation
import Settee
import SetteeBenchmarkResults
import StorageProtocol
import Testing

@testable import SetteeKV
@testable import SetteeSQLite
@testable import SetteeStorageFiles
@testable import StorageConformance

/// Every error that can reach a caller, directly or as the cause of another, has a description.
@Suite struct ErrorDescriptionTests {
    private static let secret = "Top secret"

    private static var all: [any Error] {
        get throws {
            let broken = ConformanceFailure(promise: "It works", expected: "1", found: "2", file: "F.swift", line: 1)
            let schema = try JSONSchema(["properties": ["name": ["type": "integer"]]])
            return [
                StorageError(.conflict, "The document exists."),
                UpdateCancelled(),
                DamageList([StorageProblem(area: "pages", message: "page 3 is damaged")]),
                DamageList((1...5).map { StorageProblem(area: "pages", message: "page \($0) is damaged") }),
                SystemError(errno: 28),
                SQLiteFailure(code: 11, systemError: 0, text: "database disk image is malformed"),
                LMDBFailure(code: -30796),
                try #require(throws: JSONSchema.Fault.self) { try JSONSchema(["type": "nonsense"]) },
                try #require(schema.failures(in: ["name": .string(secret)]).first),
                BenchmarkFileError.laterFormat(2), BenchmarkFileError.notOfTheForm("format is missing"),
                broken,
                ConformanceFailures(test: "records", subject: "an engine", failures: [broken]),
                RandomFailure(engine: "an engine", seed: 1, operations: ["put"], message: "They differ."),
            ]
        }
    }

    @Test func theySayWhatHappened() throws {
        for error in try Self.all {
            let text = error.localizedDescription
            #expect((error as? any LocalizedError)?.errorDescription == text, "\(type(of: error))")
            #expect(!text.isEmpty && !text.contains("The operation could not be completed"), "\(type(of: error))")
            #expect(!text.contains(Self.secret), "\(type(of: error))")
        }
        #expect(
            DamageList((1...5).map { StorageProblem(area: "a", message: "\($0)") }).localizedDescription.contains(
                "2 more"
            )
        )
    }

    /// Error types that are added later are found too.
    @Test func noPublicErrorIsForgotten() throws {
        let sources = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().appending(path: "Sources")
        let files = try #require(FileManager.default.enumerator(at: sources, includingPropertiesForKeys: nil))
        var declared: Set<String> = []
        var described: Set<String> = []
        for case let file as URL in files where file.pathExtension == "swift" {
            let text = try String(contentsOf: file, encoding: .utf8)
            for match in text.matches(of: /public (?:struct|enum|final class) (\w+)(?:<[^>]*>)?: [^{]*\bError\b/) {
                declared.insert(String(match.1))
            }
            for match in text.matches(of: /extension ([\w.]+): LocalizedError/) {
                described.insert(String(match.1.split(separator: ".").last ?? match.1))
            }
        }
        #expect(declared.contains("StorageError") && declared.contains("UpdateCancelled"))
        #expect(declared.subtracting(described) == [])
    }
}
