internal import Foundation
internal import Settee
internal import SetteeBenchmarkResults
internal import StorageProtocol

/// Repeats a trace on a candidate, and measures each kind of operation.
final class TraceProbe {
    private let replay: TraceReplay
    private let load: LoadDescription
    private let folder: URL
    /// How often each kind of operation was done in the last replay.
    private var counts: [String: Int] = [:]
    /// How many documents the databases had at the end of the last replay.
    private(set) var documents = 0

    init(_ trace: Trace, _ load: LoadDescription, folder: URL) throws(StorageError) {
        replay = try TraceReplay(trace)
        self.load = load
        self.folder = folder
    }

    /// The part of each kind of operation.
    var parts: [String: Double] {
        let total = Double(max(1, counts.values.reduce(0, +)))
        return counts.mapValues { Double($0) / total }
    }

    func measure(_ candidate: LoadCandidate) throws -> LoadSample {
        let manager = try Manager(directory: folder)
        let options = DatabaseOptions(
            storageType: candidate.storageType,
            durability: load.durability,
            compression: candidate.compression,
            key: try StorageKey.random(for: candidate.storageType)
        )
        var databases: [Int: Database] = [:]
        defer {
            for (number, database) in databases {
                try? database.close()
                try? manager.deleteDatabase(named: "replay\(number)")
            }
        }
        var nanoseconds: [String: UInt64] = [:]
        var counts: [String: Int] = [:]
        var sampler: MemorySampler?
        _ = try replay.run(
            database: { number in
                if let known = databases[number] { return known }
                let made = try manager.database(named: "replay\(number)", options: options)
                databases[number] = made
                return made
            },
            prepared: { sampler = MemorySampler() },
            measure: { kind, time in
                // The time of a snapshot is that of what is done in it.
                guard kind != .snapshotEnd else { return }
                nanoseconds[kind.rawValue, default: 0] += time
                counts[kind.rawValue, default: 0] += 1
            }
        )
        var sample = LoadSample()
        sample.peakMemory = sampler?.finish()
        for (kind, time) in nanoseconds { sample.costs[kind] = Double(time) / 1000 / Double(counts[kind] ?? 1) }
        let figures = try databases.values.map { try $0.statistics() }
        documents = Int(figures.reduce(0) { $0 + $1.documentCount })
        sample.bytesPerDocument = figures.reduce(0) { $0 + $1.dataBytes } / Double(max(1, documents))
        sample.digest = try databases.sorted { $0.key < $1.key }.map { try $0.value.contentDigest() }
            .joined(separator: " ")
        self.counts = counts
        return sample
    }
}
