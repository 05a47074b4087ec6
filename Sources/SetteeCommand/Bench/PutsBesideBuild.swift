internal import Foundation
internal import Settee
internal import Synchronization

/// How long single puts take while nobody else is at work, and while another thread builds an index from nothing.
struct PutsBesideBuild {
    /// Few would not tell a 99th percentile. A build that ends before so many is begun again.
    private static let puts = 2000

    private let database: Database
    private let view: DatabaseView
    private let lines: [[UInt8]]

    /// - Parameter view: one of `database`, which is told what to build; its index is built anew.
    init(_ database: Database, _ view: DatabaseView, lines: [[UInt8]]) {
        self.database = database
        self.view = view
        self.lines = lines
    }

    /// - Returns: the 99th percentiles of one put, in microseconds, and how many puts a second there were beside the
    ///   build.
    func run() throws -> Measurement {
        var next = 0
        var idle = Latencies()
        while idle.count < PutsBesideBuild.puts { try put(&next, &idle) }
        var beside = Latencies()
        var elapsed = Duration.zero
        while beside.count < PutsBesideBuild.puts {
            try view.deleteIndex()
            let build = Build(of: view)
            let start = ContinuousClock.now
            while !build.isOver { try put(&next, &beside) }
            elapsed += ContinuousClock.now - start
            try build.finish()
        }
        return Measurement(
            opsPerSecond: Double(beside.count) / max(elapsed / .seconds(1), 1e-9),
            opsPerCPUSecond: 0,
            idleP99: idle.p99,
            p99: beside.p99
        )
    }

    private func put(_ next: inout Int, _ latencies: inout Latencies) throws {
        let (document, line) = (database["put-\(next)"], lines[next % lines.count])
        try latencies.time { try document.put(json: line) }
        next += 1
    }

    /// An update of an index on a thread of its own.
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
