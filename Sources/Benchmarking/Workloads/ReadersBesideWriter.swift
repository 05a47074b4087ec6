internal import Foundation
internal import Settee
internal import StorageProtocol
internal import Synchronization

/// Measures how long point reads take, without a writer, and while one thread inserts as fast as it can.
struct ReadersBesideWriter {
    private let run: WorkloadRun

    init(_ run: WorkloadRun) { self.run = run }

    func work() throws -> Workload.Work {
        let idle = try readAll()
        let isOver = Atomic(false)
        let failure = Locked<(any Error)?>(nil)
        let begun = DispatchSemaphore(value: 0)
        let ended = DispatchSemaphore(value: 0)
        let (database, documents) = (run.database, run.documents)
        Thread.detachNewThread {
            defer { ended.signal() }
            var next = 0
            do {
                while !isOver.load(ordering: .relaxed) {
                    try database.inTransaction {
                        for _ in 0..<WorkloadRun.batch {
                            try database["written-\(next)"].put(json: documents.body(next))
                            next += 1
                        }
                    }
                    begun.signal()
                }
            } catch {
                failure.withLock { $0 = error }
                begun.signal()
            }
        }
        begun.wait()
        let start = Stopwatch()
        let result = Result { try readAll() }
        let seconds = start.seconds
        isOver.store(true, ordering: .relaxed)
        ended.wait()
        if let error = failure.withLock({ $0 }) { throw error }
        run.latencies = try result.get()
        return Workload.Work(
            operations: run.count,
            opsPerSecond: Double(run.count) / max(seconds, 1e-9),
            isBesideOthers: true,
            idleP99: idle.p99
        )
    }

    private func readAll() throws -> Latencies {
        var latencies = Latencies()
        for turn in 0..<run.count {
            let id = run.id(People.randomDocument(turn, of: run.count))
            try latencies.time {
                guard try run.database[id].json() != nil else { throw WorkloadRun.missing }
            }
        }
        return latencies
    }
}
