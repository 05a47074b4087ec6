import Benchmark
import Foundation
import SetteeBenchmarking
import StorageProtocol

/// A store in a new temporary folder, filled with people. Used by one thread at a time.
final class BenchmarkStore {
    let engine: any StorageEngine
    private let folder: URL
    private let ids: [DocumentID]
    /// How many documents were added.
    private var count = 0
    private var sequence: UInt64 = 0

    private static let bodies = (0..<1000).map(People(seed: 42).json)
    private static let maximumCount = 25_000

    init(_ factory: any StorageEngineFactory) throws {
        folder = FileManager.default.temporaryDirectory.appending(path: "settee-benchmark-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        ids = try (0..<BenchmarkStore.maximumCount).map { try DocumentID(People.documentID($0, random: false)) }
        engine = try factory.open(directory: folder.path, options: StorageOptions(create: true, durability: .normal))
    }

    func remove() {
        engine.close()
        try? FileManager.default.removeItem(at: folder)
    }

    /// Adds `count` documents in one transaction.
    func insert(_ count: Int) throws(StorageError) {
        try engine.write { transaction throws(StorageError) in
            for _ in 0..<count {
                try transaction.insert(try draft(self.count, generation: 1, body: { .replace($0) }))
                self.count += 1
            }
        }
    }

    /// Gives the first `count` documents another body in one transaction; the old one is kept.
    func updateFirst(_ count: Int) throws(StorageError) {
        try engine.write { transaction throws(StorageError) in
            for index in 0..<count {
                let old = UInt64(index + 1)
                let draft = try draft(index, generation: 2, body: { .replaceKeepingOld($0, oldSequence: old) })
                try transaction.update(draft)
            }
        }
    }

    func readBody(_ index: Int, _ transaction: any ReadTransaction) throws(StorageError) {
        let found = try transaction.record(ids[index], fields: .body) { record throws(StorageError) in
            record.withBody { blackHole($0.byteCount) }
        }
        precondition(found, "a document that was inserted is missing")
    }

    private func draft(
        _ index: Int,
        generation: UInt64,
        body: ([UInt8]) -> RecordDraft.BodyChange
    ) throws(StorageError) -> RecordDraft {
        sequence += 1
        let winner = try RevisionID(generation: generation, digest: (high: sequence, low: ~sequence))
        return RecordDraft(
            documentID: ids[index],
            flags: [],
            sequence: sequence,
            winner: winner,
            tree: [UInt8](repeating: 7, count: 24),
            body: body(BenchmarkStore.bodies[(index + Int(generation)) % BenchmarkStore.bodies.count])
        )
    }
}
