internal import Foundation
internal import Settee
internal import StorageProtocol
internal import Synchronization

/// Measures how long point reads take, without a writer, and while one thread inserts as fast as it can.
struct ReadersBesideWriter {
    private let database: Database
    private let lines: [[UInt8]]
    private let id: @Sendable (Int) -> String

    /// - Parameter lines: the documents in the database, whose IDs are `id` of 0, 1, ...
    init(_ database: Database, lines: [[UInt8]], id: @escaping @Sendable (Int) -> String) {
        self.database = database
        self.lines = lines
        self.id = id
    }

    /// Returns the 99th percentiles of one read, in microseconds, and the reads per second beside the writer.
    func run() throws -> (idle: Double, besideWriter: Double, readsPerSecond: Double) {
        let idle = try readAll()
        let isOver = Atomic(false)
        let failure = Locked<(any Error)?>(nil)
        let begun = DispatchSemaphore(value: 0)
        let ended = DispatchSemaphore(value: 0)
        let (database, lines) = (database, lines)
        Thread.detachNewThread {
            defer { ended.signal() }
            var next = 0
            do {
                while !isOver.load(ordering: .relaxed) {
                    try database.inTransaction {
                        for _ in 0..<WorkloadRunner.batch {
                            try database["written-\(next)"].put(json: lines[next % lines.count])
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
        let start = ContinuousClock.now
        let result = Result { try readAll() }
        let elapsed = ContinuousClock.now - start
        isOver.store(true, ordering: .relaxed)
        ended.wait()
        if let error = failure.withLock({ $0 }) { throw error }
        let seconds = Double(elapsed.components.seconds) + Double(elapsed.components.attoseconds) * 1e-18
        return (idle.p99, try result.get().p99, Double(lines.count) / max(seconds, 1e-9))
    }

    private func readAll() throws -> Latencies {
        var latencies = Latencies()
        for turn in lines.indices {
            let id = id(People.randomDocument(turn, of: lines.count))
            try latencies.time {
                guard try database[id].json() != nil else { throw WorkloadRunner.missing }
            }
        }
        return latencies
    }
}
