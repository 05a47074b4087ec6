internal import Foundation
internal import SetteeMemory
internal import StorageConformance
internal import StorageProtocol
internal import Testing

/// Wrappers forward every call of an engine.
@Suite struct ForwardingTests {
    @Test(arguments: EngineConformance.rows)
    func faultInjectionPassesEveryCallOn(row: EngineCase) throws {
        let missed = try Conformance.unforwardedCalls(of: row) { FaultInjectingEngineFactory($0) }
        #expect(missed == [])
    }

    /// Forwards only what it has to: the requirements without a default.
    private final class Forgetful: StorageEngine {
        let base: any StorageEngine
        init(_ base: any StorageEngine) { self.base = base }

        var storageType: StorageType { base.storageType }
        var capabilities: StorageCapabilities { base.capabilities }
        var compression: Compression { base.compression }
        func beginRead() throws(StorageError) -> any ReadTransaction { try base.beginRead() }
        func beginWrite(patience: Duration?) throws(StorageError) -> any WriteTransaction {
            try base.beginWrite(patience: patience)
        }
        func checkpoint() throws(StorageError) { try base.checkpoint() }
        func verify(
            progress: (_ done: UInt64, _ of: UInt64) throws(StorageError) -> Void,
            _ report: (StorageProblem) -> Void
        ) throws(StorageError) {
            try base.verify(progress: progress, report)
        }
        func statistics() throws(StorageError) -> StorageStatistics { try base.statistics() }
        func close() { base.close() }
    }

    private struct Factory: ForwardingEngineFactory {
        let base: any StorageEngineFactory
        let wrap: @Sendable (any StorageEngine) -> any StorageEngine

        func open(directory: String, options: StorageOptions) throws(StorageError) -> any StorageEngine {
            wrap(try base.open(directory: directory, options: options))
        }
    }

    private final class Forwarding: ForwardingEngine {
        let base: any StorageEngine
        init(_ base: any StorageEngine) { self.base = base }
    }

    @Test(arguments: EngineConformance.rows)
    func theBaseOfWrappersPassesEveryCallOn(row: EngineCase) throws {
        let missed = try Conformance.unforwardedCalls(of: row) { Factory(base: $0) { Forwarding($0) } }
        #expect(missed == [])
    }

    @Test func defaultsThatTookOverAreNamed() throws {
        let row = EngineCase(name: "memory", factory: MemoryEngineFactory())
        let missed = try Conformance.unforwardedCalls(of: row) { Factory(base: $0) { Forgetful($0) } }
        let names = missed.compactMap { $0.split(separator: " ").first.map(String.init) }
        #expect(
            names == [
                "blobStore", "openingProblems", "takeBackgroundProblems", "beginSingleRead", "raiseDurability",
                "beginRewrite", "copy", "compact", "oldestSnapshot",
            ]
        )
    }

    /// A call that is added to the contract has to be added to the check.
    @Test func theCheckKnowsTheContract() throws {
        let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        let contract = root.appendingPathComponent("Sources/StorageProtocol/Contract")
        let wanted = [
            "StorageEngineFactory", "StorageEngine", "ReadTransaction", "WriteTransaction", "RevisionReader",
            "RevisionWriter", "IndexReader", "IndexWriter", "BlobReferenceReader", "BlobReferenceWriter",
        ]
        var found: [String: [String]] = [:]
        for file in try FileManager.default.contentsOfDirectory(at: contract, includingPropertiesForKeys: nil) {
            var present: String?
            for line in try String(contentsOf: file, encoding: .utf8).split(separator: "\n") {
                if line.hasPrefix("public protocol ") {
                    present = String(line.dropFirst(16).prefix { $0.isLetter })
                } else if line == "}" {
                    present = nil
                }
                guard let present else { continue }
                for keyword in ["    func ", "    var "] where line.hasPrefix(keyword) {
                    found[present, default: []].append(String(line.dropFirst(keyword.count).prefix { $0.isLetter }))
                }
            }
        }
        let calls = wanted.flatMap { found[$0] ?? [] }
        #expect(calls.count > 60)
        // What a factory declares, its engines declare too.
        let known =
            Conformance.forwardedCalls.map { String($0.prefix { $0.isLetter }) } + ["storageType", "capabilities"]
        #expect(calls.sorted() == known.sorted())
    }
}
