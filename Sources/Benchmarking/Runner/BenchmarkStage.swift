internal import Foundation
internal import Settee
internal import SetteeBenchmarkResults
internal import StorageProtocol

/// Where workloads are run: the databases, the documents and the plain C programs.
final class BenchmarkStage {
    private let settings: BenchmarkSettings
    private let folder: URL
    private let baseline: Baseline?
    /// Databases for workloads that only read.
    private var kept: [String: (database: Database, key: StorageKey?)] = [:]
    private var documentSets: [String: DocumentSet] = [:]
    private var known: Manager?

    init(_ settings: BenchmarkSettings, folder: URL) {
        self.settings = settings
        self.folder = folder
        baseline = settings.baselines.map { Baseline(folder: $0) }
    }

    /// Forgets the documents, and the databases that were kept.
    func clear() {
        close()
        documentSets = [:]
    }

    func close() {
        for (name, kept) in kept {
            try? kept.database.close()
            try? manager().deleteDatabase(named: name)
        }
        kept = [:]
    }

    /// Returns the engines that can be measured, the versions of their libraries, and those that cannot be.
    func engines() throws -> (able: [EngineTraits], libraries: [String: String], leftOut: [BenchmarkFile.LeftOut]) {
        var able: [EngineTraits] = []
        var libraries: [String: String] = [:]
        var leftOut: [BenchmarkFile.LeftOut] = []
        for type in settings.storageTypes {
            do throws(StorageError) {
                let name = "probe-\(type.name)"
                let database = try open(name, type, key: try StorageKey.random(for: type), isFull: false, threads: nil)
                for (name, value) in try database.statistics().details where name.hasSuffix("Version") {
                    // SQLCipher has an SQLite of its own.
                    let library = String(name.dropLast("Version".count))
                    libraries[library == type.name ? library : "\(library) of \(type.name)"] = value
                }
                able.append(
                    EngineTraits(
                        name: type.name,
                        hasFiles: database.path != nil,
                        isEncrypted: try database.statistics().isEncrypted
                    )
                )
                remove(database, name)
            } catch {
                // The library of the engine is missing, or lacks what it needs.
                guard error.code == .notImplemented else { throw error }
                leftOut.append(BenchmarkFile.LeftOut(engine: type.name, reason: error.message))
            }
        }
        return (able, libraries, leftOut)
    }

    /// Returns the documents that a workload runs with.
    func documents(for workload: Workload, count: Int) -> DocumentSet {
        let source = workload.change.documentBytes.map { DocumentSource.sized($0) } ?? settings.source
        let isRandom = workload.change.randomIDs ?? settings.randomIDs
        let name = "\(workload.change.documentBytes ?? 0) \(isRandom) \(count)"
        if let known = documentSets[name] { return known }
        let made = DocumentSet(source, count: count, randomIDs: isRandom, seed: settings.seed)
        documentSets[name] = made
        return made
    }

    func warmUp(_ workload: Workload, on engine: EngineTraits, count: Int) throws {
        guard settings.warmUp > 0 else { return }
        let count = workload.onlyReads ? count : min(count, settings.warmUp)
        _ = try measure(workload, on: engine, documents(for: workload, count: count))
    }

    /// Runs a workload once.
    func measure(_ workload: Workload, on engine: EngineTraits, _ documents: DocumentSet) throws -> Measurement {
        let type = try StorageType(engine.name)
        let isFull = workload.change.isFull ?? (settings.durability == .full)
        let isKept = workload.onlyReads && workload.content == .documents
        let name = "\(engine.name)-\(documents.count)-\(documents.randomIDs)-\(isFull)"
        let found = isKept ? kept[name] : nil
        let key = try found?.key ?? StorageKey.random(for: type)
        let place = isKept ? name : "run"
        let database =
            try found?.database
            ?? open(place, type, key: key, isFull: isFull, threads: workload.change.mappingThreads)
        let run = WorkloadRun(database, documents: documents, key: key, folder: folder, workload: workload)
        defer { if !isKept { remove(run.database, place) } }
        if found == nil, workload.content != .empty {
            try run.insertAll(keepingRevisions: workload.content == .updated)
            if workload.content == .updated { try run.updateAll() }
            run.revisions = []
        }
        if isKept { kept[name] = (database, key) }
        try workload.prepare(run)
        run.latencies = Latencies()
        return try time(workload, run)
    }

    private func time(_ workload: Workload, _ run: WorkloadRun) throws -> Measurement {
        let before = try run.database.statistics().bytesOnDisk
        let sampler = MemorySampler()
        let written = WrittenBytes.current()
        let start = Stopwatch()
        let work = try workload.run(run)
        let (seconds, cpu) = (start.seconds, start.processorSeconds)
        let writtenAfter = WrittenBytes.current()
        let operations = Double(max(work.operations, 1))
        var round = BenchmarkRound(opsPerSecond: work.opsPerSecond ?? operations / max(seconds, 1e-9))
        if !work.isBesideOthers { round.cpuMicroseconds = cpu * 1e6 / operations }
        round.peakMemory = sampler.map { Double($0.finish()) }
        if let bytes = work.bytes, bytes > 0, let written, let writtenAfter, writtenAfter >= written {
            round.bytesWritten = Double(writtenAfter - written) / operations
            round.writeAmplification = Double(writtenAfter - written) / Double(bytes)
        }
        if run.database.path != nil {
            round.bytesOnDisk = Double(try run.database.statistics().bytesOnDisk)
            if workload.group == .space { round.bytesBefore = Double(before) }
        }
        return Measurement(round: round, latencies: run.latencies, work: work)
    }

    /// Runs what a workload is compared with; nil if there is nothing.
    func counterpart(
        of workload: Workload,
        on engine: EngineTraits,
        _ documents: DocumentSet
    ) throws -> (rate: Double, cpu: Double?, name: String)? {
        if case .workload(let name) = workload.baseline, let other = Workload.named(name) {
            let run = try measure(other, on: engine, documents)
            return (run.round.opsPerSecond, run.round.cpuMicroseconds, name)
        }
        let type = try StorageType(engine.name)
        guard let baseline, let call = baseline.call(for: workload, on: type, documents.places) else { return nil }
        let file = folder.appending(path: "documents-\(documents.count)-\(workload.change.documentBytes ?? 0).jsonl")
        if !FileManager.default.fileExists(atPath: file.path) { try documents.write(to: file) }
        // Contents of attachments are synced at either durability.
        let isFull =
            workload.group == .attachment || workload.change.isFull ?? (settings.durability == .full)
        let arguments = [
            "--data", file.path, "--docs", "\(documents.count)", "--durability", isFull ? "FULL" : "NORMAL",
            "--ids", documents.randomIDs ? "random" : "ordered",
        ]
        let operations =
            workload.group == .mix
            ? ["--operations", "\(max(1, documents.count / workload.operationsDivisor))"] : []
        guard let result = try baseline.run(call, arguments + operations, in: folder) else { return nil }
        return (result.opsPerSecond, result.cpuMicroseconds, call.name)
    }

    private func open(
        _ name: String,
        _ type: StorageType,
        key: StorageKey?,
        isFull: Bool,
        threads: Int?
    ) throws(StorageError) -> Database {
        try manager().database(
            named: name,
            options: DatabaseOptions(
                storageType: type,
                durability: isFull ? .full : .normal,
                key: key,
                mappingThreads: threads
            )
        )
    }

    private func remove(_ database: Database, _ name: String) {
        try? database.close()
        try? manager().deleteDatabase(named: name)
    }

    /// Made when it is needed first: its folder is that of the databases.
    private func manager() throws(StorageError) -> Manager {
        if let known { return known }
        let made = try Manager(directory: folder)
        known = made
        return made
    }
}
