internal import Foundation
internal import Settee

/// Measures workloads on engines, each together with the plain-C program in the same round.
struct BenchRunner {
    var storageTypes: [StorageType]
    var workloads: [Workload]
    var documents: Int
    var rounds: Int
    var durability: Durability
    var randomIDs: Bool
    /// Returns the plain-C program for an engine; nil if there is none.
    var baseline: (StorageType) -> Baseline?
    /// Called before each measurement.
    var progress: (String) -> Void

    func run() throws -> BenchReport {
        let folder = FileManager.default.temporaryDirectory.appending(path: "settee-bench-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }

        let people = People(seed: 42)
        let lines = (0..<documents).map { people.json($0) }
        let data = folder.appending(path: "people.jsonl")
        if storageTypes.contains(where: { baseline($0) != nil }) { try writeLines(lines, to: data) }

        var report = BenchReport(environment: environment())
        for workload in workloads {
            let count = workload.documents(of: documents)
            var ours: [StorageType: [Measurement]] = [:]
            var theirs: [StorageType: [Measurement]] = [:]
            for round in 1...rounds {
                progress("\(workload.rawValue), round \(round) of \(rounds)")
                for type in storageTypes {
                    let lines = Array(lines.prefix(count))
                    ours[type, default: []].append(try measure(workload, on: type, lines: lines, in: folder))
                    if let other = workload.counterpart {
                        theirs[type, default: []].append(try measure(other, on: type, lines: lines, in: folder))
                    }
                    // For all engines, the cost of an index is compared with that of SQLite's own index.
                    guard let baseline = baseline(workload.isOfView ? .sqlite : type), baseline.does(workload) else {
                        continue
                    }
                    theirs[type, default: []].append(
                        try baseline.run(
                            workload,
                            data: data,
                            documents: count,
                            durability: durability,
                            randomIDs: randomIDs,
                            in: folder
                        )
                    )
                }
            }
            for type in storageTypes {
                report.results.append(entry(type, workload, count, ours[type] ?? [], theirs[type] ?? []))
            }
        }
        return report
    }

    private func entry(
        _ type: StorageType,
        _ workload: Workload,
        _ documents: Int,
        _ ours: [Measurement],
        _ theirs: [Measurement]
    ) -> BenchReport.Entry {
        BenchReport.Entry(
            engine: type.name,
            workload: workload.rawValue,
            documents: documents,
            opsPerSecond: median(ours.map(\.opsPerSecond)),
            baselineOpsPerSecond: theirs.isEmpty ? nil : median(theirs.map(\.opsPerSecond)),
            ratio: theirs.isEmpty ? nil : median(zip(ours, theirs).map { $0.opsPerSecond / $1.opsPerSecond }),
            cpuRatio: theirs.isEmpty ? nil : median(zip(ours, theirs).map { $0.opsPerCPUSecond / $1.opsPerCPUSecond }),
            bytesOnDisk: medianOfKnown(ours.map { $0.bytesOnDisk.map { Double($0) } }),
            idleP99: medianOfKnown(ours.map(\.idleP99)),
            p99: medianOfKnown(ours.map(\.p99))
        )
    }

    private func medianOfKnown(_ figures: [Double?]) -> Double? {
        let known = figures.compactMap { $0 }
        return known.isEmpty ? nil : median(known)
    }

    /// Runs one workload on a database of its own.
    private func measure(
        _ workload: Workload,
        on type: StorageType,
        lines: [[UInt8]],
        in folder: URL
    ) throws -> Measurement {
        let manager = try Manager(directory: folder.appending(path: "databases"))
        let name = "bench"
        let key = try BenchRunner.key(for: type)
        let database = try manager.database(
            named: name,
            options: DatabaseOptions(
                storageType: type,
                durability: durability,
                key: key,
                mappingThreads: workload == .viewBuildOne ? 1 : nil
            )
        )
        defer { try? manager.deleteDatabase(named: name) }
        let runner = WorkloadRunner(database, key: key, lines: lines, randomIDs: randomIDs)
        try runner.prepare(workload)
        return try runner.run(workload)
    }

    /// Returns a key for a type that needs one. It is a raw key, so that key derivation is not measured.
    private static func key(for type: StorageType) throws(StorageError) -> StorageKey? {
        guard BuiltInEngines.all.contains(where: { $0.storageType == type && $0.capabilities.requiresKey }) else {
            return nil
        }
        var random = SystemRandomNumberGenerator()
        let bytes = (0..<StorageKey.rawLength).map { _ in UInt8.random(in: 0...255, using: &random) }
        return try unsafe StorageKey(bytes: bytes.span.bytes)
    }

    private func writeLines(_ lines: [[UInt8]], to file: URL) throws {
        var text = Data()
        for line in lines {
            text.append(contentsOf: line)
            text.append(UInt8(ascii: "\n"))
        }
        try text.write(to: file)
    }

    private func environment() -> BenchReport.Environment {
        #if DEBUG
        let build = "debug"
        #else
        let build = "release"
        #endif
        let cpuinfo = (try? String(contentsOfFile: "/proc/cpuinfo", encoding: .utf8)) ?? ""
        let model = cpuinfo.split(separator: "\n").first { $0.hasPrefix("model name") }?.split(separator: ":").last
        return BenchReport.Environment(
            system: ProcessInfo.processInfo.operatingSystemVersionString,
            processor: model.map { $0.trimmingCharacters(in: .whitespaces) } ?? "unknown processor",
            cores: ProcessInfo.processInfo.activeProcessorCount,
            durability: durability.rawValue,
            documentIDs: randomIDs ? "random" : "ordered",
            rounds: rounds,
            build: build
        )
    }
}
