internal import Foundation
internal import Settee
public import SetteeBenchmarkResults
internal import StorageProtocol

/// Measures workloads on engines, which take turns in each round, and the plain C programs beside them
/// (docs/reference/benchmarks.md).
public final class BenchmarkRunner {
    private let settings: BenchmarkSettings
    private let progress: (BenchmarkProgress) throws -> Void
    private let folder: URL
    private let stage: BenchmarkStage
    private var done = 0
    private var total = 0

    /// - Parameter progress: called before each run. What it throws ends the benchmark.
    public init(_ settings: BenchmarkSettings, progress: @escaping (BenchmarkProgress) throws -> Void = { _ in }) {
        self.settings = settings
        self.progress = progress
        folder = settings.folder.appending(path: "settee-bench-\(UUID().uuidString)")
        stage = BenchmarkStage(settings, folder: folder)
    }

    /// Measures everything.
    ///
    /// - Throws: `StorageError` if a workload fails, and what `progress` throws. Engines whose library is missing and
    ///   workloads that an engine cannot do are left out of the results, with the reason.
    public func run() throws -> BenchmarkFile {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer {
            stage.close()
            try? FileManager.default.removeItem(at: folder)
        }
        var (engines, libraries, leftOut) = try stage.engines()
        var results: [BenchmarkEntry] = []
        total = settings.documents.count * settings.workloads.count * (settings.rounds + 1) * engines.count
        var known: [String: Set<Int>] = [:]
        for count in settings.documents {
            for workload in settings.workloads {
                // Those that do less of the work may do as much of it with another number of documents.
                guard known[workload.name, default: []].insert(workload.documents(of: count)).inserted else {
                    done += engines.count * (settings.rounds + 1)
                    continue
                }
                let able = engines.filter { engine in
                    guard let reason = refusal(of: workload, on: engine) else { return true }
                    leftOut.append(
                        BenchmarkFile.LeftOut(engine: engine.name, workload: workload.name, reason: reason)
                    )
                    return false
                }
                done += (engines.count - able.count) * (settings.rounds + 1)
                results += try measure(workload, on: able, count: count)
            }
            stage.clear()
        }
        leftOut = leftOut.reduce(into: []) { if !$0.contains($1) { $0.append($1) } }
        return BenchmarkFile(
            environment: Machine.environment(settings, libraries: libraries),
            results: results,
            leftOut: leftOut
        )
    }

    private func refusal(of workload: Workload, on engine: EngineTraits) -> String? {
        if let reason = workload.refusal(engine) { return reason }
        let places = stage.documents(for: workload, count: 1).places
        return places[workload.place] == nil ? "the documents have no member for its view" : nil
    }

    private func measure(_ workload: Workload, on engines: [EngineTraits], count: Int) throws -> [BenchmarkEntry] {
        let count = workload.documents(of: count)
        for engine in engines {
            try step(engine, workload, round: 0)
            try stage.warmUp(workload, on: engine, count: count)
        }
        var series: [String: BenchmarkSeries] = [:]
        for round in 1...settings.rounds {
            for turn in engines.indices {
                let engine = engines[(turn + round - 1) % engines.count]
                try step(engine, workload, round: round)
                let documents = stage.documents(for: workload, count: count)
                let run = try stage.measure(workload, on: engine, documents)
                series[engine.name, default: BenchmarkSeries()].add(
                    run,
                    counterpart: try stage.counterpart(of: workload, on: engine, documents)
                )
            }
        }
        return engines.compactMap { series[$0.name]?.entry(workload, on: $0.name, documents: count) }
    }

    private func step(_ engine: EngineTraits, _ workload: Workload, round: Int) throws {
        let now = BenchmarkProgress(
            done: done,
            total: total,
            engine: engine.name,
            workload: workload.name,
            round: round
        )
        try progress(now)
        done += 1
    }
}
