internal import Dispatch
internal import SetteeEngine
internal import SetteeIndexes
internal import StorageProtocol
internal import Synchronization

/// A walk over all documents on several threads, each on a snapshot of its own that shows the same state.
///
/// The documents are parted into ranges of IDs, or into the engine's own parts where no order is asked for and those
/// are faster. There are more of them than threads, since they have documents in very different numbers. A thread whose
/// snapshot shows another state leaves its parts to the others; in the end the caller's thread reads those that are
/// left.
struct ParallelScan: Sendable {
    /// Fewer documents than these are not worth another thread.
    private static let fewest = 2_000
    /// How often a thread begins a snapshot that shows another state.
    private static let tries = 3

    private let query: FindQuery
    private let plan: FindPlan
    private let sortKeys: SortKeys?
    private let cancellation: Cancellation?
    private let changeCounter: UInt64
    private let pieces: [RecordWalk]

    /// Nil if one thread is enough, or nothing else is possible: in a transaction or a snapshot of the caller, and
    /// where not all documents are read.
    init?(
        _ query: FindQuery,
        _ plan: FindPlan,
        sortKeys: SortKeys?,
        in transaction: any ReadTransaction,
        _ cancellation: Cancellation?
    ) throws(StorageError) {
        guard case .documents(.all) = plan.access, !plan.isBackward, query.database.mappingThreads > 1,
            case .none = query.database.threadActivity
        else { return nil }
        let counters = try transaction.counters()
        guard counters.liveDocuments >= ParallelScan.fewest else { return nil }
        self.query = query
        self.plan = plan
        self.sortKeys = sortKeys
        self.cancellation = cancellation
        changeCounter = counters.changeCounter
        let isInParts = sortKeys != nil && query.database.capabilities.walksFasterInParts
        pieces = try RecordPieces.of(isInParts ? .part(0, of: 1) : .ids(.all, descending: false), transaction)
    }

    /// Reads all documents, with a part of the result for each range of IDs or part.
    ///
    /// - Parameters:
    ///   - own: the snapshot of the caller, which the scan was made for.
    ///   - start: makes an empty part.
    ///   - body: reads one of them. Called on several threads, with each part once.
    /// - Returns: the parts, in the order of the IDs if rows are not sorted.
    func run<Part: Sendable>(
        in own: any ReadTransaction,
        _ start: Part,
        _ body: @Sendable (inout Part, inout FindRun) throws(StorageError) -> Void
    ) throws(StorageError) -> (parts: [Part], statistics: FindStatistics) {
        let done = Locked<(parts: [Part?], statistics: FindStatistics)>(
            (Array(repeating: nil, count: pieces.count), FindStatistics())
        )
        let failure = Locked<StorageError?>(nil)
        let next = Atomic(0)
        @Sendable func read(_ transaction: any ReadTransaction, _ piece: Int) throws(StorageError) {
            var part = start
            var run = FindRun(query, plan, sortKeys: sortKeys, in: transaction, part: pieces[piece], cancellation)
            try body(&part, &run)
            let statistics = run.statistics
            done.withLock { done in
                done.parts[piece] = part
                done.statistics.add(statistics)
            }
        }
        DispatchQueue.concurrentPerform(iterations: min(query.database.mappingThreads, pieces.count)) { _ in
            do throws(StorageError) {
                for _ in 0..<ParallelScan.tries {
                    let isSame = try query.database.withReadTransaction(beginsAtOnce: true) {
                        (transaction) throws(StorageError) in
                        guard try transaction.counters().changeCounter == changeCounter else { return false }
                        while failure.withLock({ $0 == nil }) {
                            let piece = next.add(1, ordering: .relaxed).oldValue
                            guard piece < pieces.count else { break }
                            try read(transaction, piece)
                        }
                        return true
                    }
                    if isSame { return }
                }
            } catch {
                failure.withLock { $0 = $0 ?? error }
            }
        }
        if let error = failure.withLock({ $0 }) { throw error }
        for piece in pieces.indices where done.withLock({ $0.parts[piece] == nil }) { try read(own, piece) }
        return done.withLock { (parts: $0.parts.compactMap { $0 }, statistics: $0.statistics) }
    }
}
