internal import Foundation
internal import Settee
internal import StorageProtocol
internal import Synchronization

/// Measures how long single puts take, with no other work, and while another thread builds an index from scratch.
struct PutsBesideBuild {
    private let database: Database
    private let view: DatabaseView
    private let run: WorkloadRun
    /// 2,000, or as many as there are documents: fewer would not give a 99th percentile. If a build ends before that,
    /// another one is started.
    private let puts: UInt64

    /// - Parameter run: its view is defined. The index is built again.
    init(_ run: WorkloadRun) {
        self.run = run
        database = run.database
        view = run.view
        puts = UInt64(min(2000, run.count))
    }

    func work() throws -> Workload.Work {
        var next = 0
        var idle = Latencies()
        while idle.count < puts { try put(&next, &idle) }
        var beside = Latencies()
        var elapsed = Duration.zero
        while beside.count < puts {
            try view.deleteIndex()
            let build = Build(of: view)
            let start = ContinuousClock.now
            while !build.isOver { try put(&next, &beside) }
            elapsed += ContinuousClock.now - start
            try build.finish()
        }
        run.latencies = beside
        return Workload.Work(
            operations: Int(beside.count),
            opsPerSecond: Double(beside.count) / max(elapsed / .seconds(1), 1e-9),
            isBesideOthers: true,
            idleP99: idle.p99
        )
    }

    private func put(_ next: inout Int, _ latencies: inout Latencies) throws {
        let (document, body) = (database["put-\(next)"], run.documents.body(next))
        try latencies.time { _ = try document.put(json: body) }
        next += 1
    }

    /// Updates an index on a thread of its own.
    private final class Build: Sendable {
        private let outcome = Locked<Result<Void, any Error>?>(nil)
        private let ended = DispatchSemaphore(value: 0)
        private let hasEnded = Atomic(false)

        init(of view: DatabaseView) {
            Thread.detachNewThread { self.run(view) }
        }

        var isOver: Bool { hasEnded.load(ordering: .relaxed) }

        func finish() throws {
            ended.wait()
            try outcome.withLock { $0 }?.get()
        }

        private func run(_ view: DatabaseView) {
            let result = Result { try view.updateIndex() }
            outcome.withLock { $0 = result.mapError { $0 } }
            hasEnded.store(true, ordering: .relaxed)
            ended.signal()
        }
    }
}
