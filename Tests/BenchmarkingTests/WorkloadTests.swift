import Foundation
import Settee
import SetteeBenchmarkResults
import StorageProtocol
import Testing

@testable import SetteeBenchmarking

/// Each workload does what it says on each engine, with few documents.
@Suite("Workloads")
struct WorkloadTests {
    private static let kinds: [Workload.Group] = [.write, .read, .query, .mix, .attachment, .space, .life]

    private func settings(_ workloads: [Workload]) -> BenchmarkSettings {
        var settings = BenchmarkSettings(storageTypes: BuiltInEngines.all.map(\.storageType))
        settings.workloads = workloads
        settings.documents = [60]
        settings.rounds = 1
        settings.warmUp = 0
        return settings
    }

    @Test("Every workload of a kind runs on every engine that can do it", arguments: kinds)
    func allRun(_ kind: Workload.Group) throws {
        // Observers are tasks, which would wait among the tests: those are measured by the program (BenchTests).
        let workloads = Workload.all.filter { $0.group == kind && !$0.name.hasSuffix("-observed") }
        let results = try BenchmarkRunner(settings(workloads)).run()
        #expect(!workloads.isEmpty)
        for workload in workloads {
            for type in BuiltInEngines.all.map(\.storageType.name) {
                let entries = results.results.filter { $0.engine == type && $0.workload == workload.name }
                let left = results.leftOut.filter {
                    $0.engine == type && ($0.workload ?? workload.name) == workload.name
                }
                #expect(entries.count + left.count == 1, "\(workload.name) on \(type)")
                for entry in entries {
                    #expect(entry.opsPerSecond > 0 && entry.opsPerSecond.isFinite, "\(workload.name) on \(type)")
                    #expect(entry.operations > 0, "\(workload.name) on \(type)")
                    #expect(entry.rounds.count == 1)
                }
            }
        }
    }

    @Test("Names are unique, and those of the quick form exist")
    func names() {
        #expect(Set(Workload.all.map(\.name)).count == Workload.all.count)
        #expect(Workload.quick.count == 30)
        for workload in Workload.all { #expect(Workload.named(workload.name)?.summary == workload.summary) }
    }

    @Test("The rounds, the latencies and what was written are in the result")
    func figures() throws {
        var settings = settings([try #require(Workload.named("insert-single"))])
        settings.storageTypes = [.sqlite]
        settings.documents = [2000]
        settings.rounds = 3
        let entry = try #require(try BenchmarkRunner(settings).run().results.first)
        #expect(entry.documents == 200)
        #expect(entry.operations == 200)
        #expect(entry.rounds.count == 3)
        #expect(entry.opsPerSecond == median(entry.rounds.map(\.opsPerSecond)))
        let latency = try #require(entry.latency)
        #expect(latency.of == "operation")
        #expect(latency.p50 > 0 && latency.p50 <= latency.p99 && latency.p99 <= latency.p999)
        #expect(latency.curve.map { $0[0] } == latency.curve.map { $0[0] }.sorted())
        #expect(latency.curve.map { $0[1] } == latency.curve.map { $0[1] }.sorted())
        #if os(Linux)
        // A commit of one document writes whole pages.
        #expect(try #require(entry.writeAmplification) > 1)
        #expect(try #require(entry.bytesOnDisk) > 0)
        #expect(entry.peakMemory != nil)
        #endif
    }

    @Test("Nothing of a benchmark is left in its folder, also if it is ended")
    func nothingLeft() throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        var settings = settings(["insert-batch", "read-snapshot"].compactMap(Workload.named))
        settings.folder = folder
        _ = try BenchmarkRunner(settings).run()
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).isEmpty)
        var runs = 0
        struct Ended: Error {}
        #expect(throws: Ended.self) {
            try BenchmarkRunner(settings) { _ in
                runs += 1
                if runs == 10 { throw Ended() }
            }.run()
        }
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).isEmpty)
    }

    @Test("Progress comes before each run and counts to the end")
    func progress() throws {
        var seen: [BenchmarkProgress] = []
        var settings = settings(["insert-batch", "convert"].compactMap(Workload.named))
        settings.rounds = 2
        _ = try BenchmarkRunner(settings) { seen.append($0) }.run()
        #expect(seen.map(\.done) == seen.map(\.done).sorted())
        #expect(seen.allSatisfy { $0.done < $0.total })
    }

    @Test("The engines take turns, and another one begins each round")
    func turns() throws {
        var seen: [BenchmarkProgress] = []
        var settings = settings([try #require(Workload.named("insert-batch"))])
        settings.storageTypes = [.sqlite, .lmdb, .memory]
        settings.rounds = 3
        _ = try BenchmarkRunner(settings) { seen.append($0) }.run()
        #expect(seen.filter { $0.round == 1 }.map(\.engine) == ["sqlite", "lmdb", "memory"])
        #expect(seen.filter { $0.round == 2 }.map(\.engine) == ["lmdb", "memory", "sqlite"])
        #expect(seen.filter { $0.round == 3 }.map(\.engine) == ["memory", "sqlite", "lmdb"])
    }
}
