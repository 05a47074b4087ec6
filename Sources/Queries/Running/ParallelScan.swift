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
    /// How often the ranges are halved.
    private static let halvings = 6
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
        if sortKeys != nil, query.database.capabilities.walksFasterInParts {
            let count = 1 << ParallelScan.halvings
            pieces = (0..<count).map { .part($0, of: count) }
        } else {
            pieces = try ParallelScan.pieces(transaction).map { .ids($0, descending: false) }
        }
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

    // MARK: - Ranges

    private static func pieces(_ transaction: any ReadTransaction) throws(StorageError) -> [ByteRange] {
        guard let first = try firstID(.all, transaction), let last = try firstID(.all, descending: true, transaction)
        else {
            return [.all]
        }
        var bounds: [[UInt8]] = []
        try split(first, last, halvings, &bounds, transaction)
        var pieces: [ByteRange] = []
        var lower = ByteRange.Bound.open
        for bound in bounds {
            pieces.append(ByteRange(lower: lower, upper: .excluding(bound)))
            lower = .including(bound)
        }
        return pieces + [ByteRange(lower: lower, upper: .open)]
    }

    /// Adds IDs between two others, in order, each of a document or of the end of a gap.
    private static func split(
        _ lower: [UInt8],
        _ upper: [UInt8],
        _ depth: Int,
        _ bounds: inout [[UInt8]],
        _ transaction: any ReadTransaction
    ) throws(StorageError) {
        guard depth > 0, let middle = middle(lower, upper) else { return }
        let range = ByteRange(lower: .including(middle), upper: .excluding(upper))
        let found = try firstID(range, transaction)
        try split(lower, middle, depth - 1, &bounds, transaction)
        guard let found else { return }
        bounds.append(found)
        try split(found, upper, depth - 1, &bounds, transaction)
    }

    private static func firstID(
        _ range: ByteRange,
        descending: Bool = false,
        _ transaction: any ReadTransaction
    ) throws(StorageError) -> [UInt8]? {
        var id: [UInt8]?
        try transaction.orderedRecords(in: range, descending: descending, fields: .metadata) { record in
            id = record.withID { id in unsafe id.withUnsafeBytes { unsafe Array($0) } }
            return false
        }
        return id
    }

    /// The byte string in the middle of two others, by the eight bytes behind what they have in common; nil if there is
    /// none.
    private static func middle(_ lower: [UInt8], _ upper: [UInt8]) -> [UInt8]? {
        let common = zip(lower, upper).prefix { $0 == $1 }.count
        func number(_ id: [UInt8]) -> UInt64 {
            var number: UInt64 = 0
            for place in common..<common + 8 { number = number << 8 | UInt64(place < id.count ? id[place] : 0) }
            return number
        }
        let (low, high) = (number(lower), number(upper))
        guard low < high, high - low > 1 else { return nil }
        let middle = low + (high - low) / 2
        var id = Array(lower.prefix(common))
        for shift in stride(from: 56, through: 0, by: -8) {
            id.append(UInt8(truncatingIfNeeded: middle >> UInt64(shift)))
        }
        while id.last == 0 { id.removeLast() }
        return lower.lexicographicallyPrecedes(id) && id.lexicographicallyPrecedes(upper) ? id : nil
    }
}
