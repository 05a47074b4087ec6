public import Foundation
internal import Settee
internal import SetteeBenchmarkResults
internal import StorageProtocol

/// Finds the storage type for a load: leaves out those that cannot serve it, measures the others in turns, and chooses
/// by what was measured (docs/guide/choosing-an-engine.md has the rules).
public struct Recommender {
    /// A candidate must be cheaper by this part than one that is preferred to it.
    static let advantage = 0.1

    public var rounds = 5
    public var seed: UInt64 = 42
    public var folder = FileManager.default.temporaryDirectory
    /// Commits of one kind are measured for so many seconds at most.
    var longest = 0.5

    private let progress: (String, _ done: Int, _ total: Int) throws -> Void

    /// - Parameter progress: called before each measurement. What it throws ends the work.
    public init(progress: @escaping (String, _ done: Int, _ total: Int) throws -> Void = { _, _, _ in }) {
        self.progress = progress
    }

    /// - Throws: `badParameter` (495) for a load that does nothing or cannot be measured, and what a measurement or
    ///   `progress` throws.
    public func recommend(_ load: LoadDescription) throws -> Recommendation {
        try check(load)
        return try inFolder { folder in
            let probe = LoadProbe(load, seed: seed, folder: folder, longest: longest)
            let measured = try measure(load, probe.measure)
            let disk = load.memoryBytes == nil ? nil : try DiskProbe.microseconds(in: folder)
            return LoadChoice(load, measured, disk: disk).recommendation()
        }
    }

    /// Repeats a trace on every storage type that may serve it. Of `load` the requirements count (encryption,
    /// processes, memory, durability), not the operations.
    ///
    /// - Throws: like `recommend(_:)`; `badParameter` (495) for a trace without operations.
    public func recommend(_ trace: Trace, _ load: LoadDescription) throws -> Recommendation {
        try inFolder { folder in
            let probe = try TraceProbe(trace, load, folder: folder)
            let measured = try measure(load, probe.measure)
            guard !probe.parts.isEmpty else {
                throw StorageError(.badParameter, "The trace has no operations that can be repeated.")
            }
            var load = load
            load.documents = max(1, probe.documents)
            let disk = load.memoryBytes == nil ? nil : try DiskProbe.microseconds(in: folder)
            return LoadChoice(load, measured, disk: disk, parts: probe.parts).recommendation()
        }
    }

    private func check(_ load: LoadDescription) throws(StorageError) {
        guard load.documents > 0, load.documentBytes > 0, load.batch > 0, load.processes > 0, load.attachmentBytes > 0
        else {
            throw StorageError(.badParameter, "Numbers of documents, bytes and processes must be above 0.")
        }
        guard load.shares.values.allSatisfy({ $0 >= 0 && $0.isFinite }), !load.parts.isEmpty else {
            throw StorageError(.badParameter, "A load needs at least one operation, and no negative shares.")
        }
    }

    private func inFolder<R>(_ body: (URL) throws -> R) throws -> R {
        let place = folder.appending(path: "settee-bench-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: place, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: place) }
        return try body(place)
    }

    /// Measures each candidate that may serve the load, in turns. The first round of each is a warm-up.
    private func measure(
        _ load: LoadDescription,
        _ body: (LoadCandidate) throws -> LoadSample
    ) throws -> [MeasuredCandidate] {
        var all = LoadCandidate.all.map { MeasuredCandidate($0, refused: $0.refusal(load)) }
        let total = all.count { $0.refused == nil } * (rounds + 1)
        var done = 0
        for round in 0...rounds {
            for turn in all.indices {
                let index = (turn + round) % all.count
                guard all[index].refused == nil else { continue }
                try progress(all[index].candidate.name, done, total)
                done += 1
                do {
                    let sample = try body(all[index].candidate)
                    if round > 0 { all[index].samples.append(sample) }
                } catch let error as StorageError where error.code == .notImplemented {
                    // The library of the engine is missing, or lacks what it needs.
                    all[index].refused = error.message
                }
            }
        }
        return all
    }
}
