internal import Foundation
internal import Settee
internal import StorageProtocol

/// Measures the time from an insert to the result that shows it, one document after another. Each document is the first
/// row of the next result.
struct InsertsToResults {
    private static let inserts = 1000
    private static let rows = 10
    /// Higher than all scores in the people data.
    private static let score = 1_000_000_000

    private let database: Database
    private let query: DatabaseQuery

    /// - Parameter view: a view with `/score` as its key.
    init(_ database: Database, _ view: DatabaseView) {
        self.database = database
        query = view.query(descending: true, limit: InsertsToResults.rows)
    }

    /// Inserts, and waits until a live query without debounce has reported the new result.
    func live() throws -> Measurement {
        let latest = Locked<Result<QueryResult, any Error>?>(nil)
        let told = DispatchSemaphore(value: 0)
        let listener = query.live(interval: .zero).addListener { result in
            latest.withLock { $0 = result }
            told.signal()
        }
        defer { listener.remove() }
        told.wait()
        let start = Stopwatch()
        for number in 1...InsertsToResults.inserts {
            try insert(number)
            while try latest.withLock({ $0 })?.get().first?.key != key(number) {
                guard told.wait(timeout: .now() + 60) == .success else { throw WorkloadRunner.missing }
            }
        }
        return start.measurement(of: InsertsToResults.inserts)
    }

    /// Inserts, and runs the query, which brings the index up to date.
    func byHand() throws -> Measurement {
        let start = Stopwatch()
        for number in 1...InsertsToResults.inserts {
            try insert(number)
            guard try query.run().first?.key == key(number) else { throw WorkloadRunner.missing }
        }
        return start.measurement(of: InsertsToResults.inserts)
    }

    private func insert(_ number: Int) throws { try database["live-\(number)"].put(["score": key(number)]) }

    private func key(_ number: Int) -> JSONValue { JSONValue(InsertsToResults.score + number) }
}
