internal import Foundation
internal import Settee
internal import StorageProtocol

/// Measures the time from an insert to the result that shows it, one document after another. Each document is the first
/// row of the next result.
struct InsertsToResults {
    private static let rows = 10
    /// Higher than the numbers that documents usually have, and exact as a double.
    private static let high = 1 << 52

    private let run: WorkloadRun
    private let database: Database
    private let query: DatabaseQuery

    private let inserts: Int
    /// The member that is the view's key.
    private let member: String

    /// - Parameter run: has a view with a number as its key.
    init(_ run: WorkloadRun) {
        self.run = run
        database = run.database
        query = run.view.query(descending: true, limit: InsertsToResults.rows)
        member = run.documents.places.numberMember
        inserts = min(1000, run.count)
    }

    /// Inserts, and waits until a live query without debounce has reported the new result.
    func live() throws -> Workload.Work {
        let latest = Locked<Result<QueryResult, any Error>?>(nil)
        let told = DispatchSemaphore(value: 0)
        let listener = query.live(interval: .zero).addListener { result in
            latest.withLock { $0 = result }
            told.signal()
        }
        defer { listener.remove() }
        told.wait()
        let start = Stopwatch()
        for number in 1...inserts {
            try run.latencies.time {
                try insert(number)
                while try latest.withLock({ $0 })?.get().first?.key != key(number) {
                    guard told.wait(timeout: .now() + 60) == .success else { throw WorkloadRun.missing }
                }
            }
        }
        return work(start)
    }

    /// Inserts, and runs the query, which brings the index up to date.
    func byHand() throws -> Workload.Work {
        let start = Stopwatch()
        for number in 1...inserts {
            try run.latencies.time {
                try insert(number)
                guard try query.run().first?.key == key(number) else { throw WorkloadRun.missing }
            }
        }
        return work(start)
    }

    /// The rate is that of the inserts alone, without making the live query.
    private func work(_ start: Stopwatch) -> Workload.Work {
        Workload.Work(
            operations: inserts,
            opsPerSecond: Double(inserts) / max(start.seconds, 1e-9)
        )
    }

    private func insert(_ number: Int) throws { try database["live-\(number)"].put([member: key(number)]) }

    private func key(_ number: Int) -> JSONValue { JSONValue(InsertsToResults.high + number) }
}
