internal import Dispatch
internal import Foundation
internal import SetteeEngine
internal import StorageProtocol

/// Maps documents in the order of their sequences into memory, on several threads: each reads and maps pieces of the
/// sequences on snapshots of its own, until all is done or enough is in memory.
final class BulkLoadMapper: Sendable {
    /// What was mapped.
    struct Mapped: Sendable {
        /// For each function, without what was handed out.
        var rows: [ChunkMapper.Rows]
        /// For each function what was handed out to `begin`.
        var begun: [[IndexBatch]]
        /// All documents up to this sequence were mapped.
        var last: UInt64 = 0
    }

    private struct State {
        var mapped: Mapped
        /// Up to where sequences were given out.
        var given: UInt64
        /// The last sequence that a document has: what comes behind is done when it is.
        var lastUsed: UInt64 = 0
        /// About how much memory the rows take.
        var bytes = 0
        var failure: StorageError?
    }

    private let database: Database
    private let works: [ChunkMapper.Work]
    private let end: UInt64
    private let cancellation: Cancellation?
    private let deadline: ContinuousClock.Instant
    private let begin: @Sendable (_ work: Int, _ batches: [IndexBatch]) -> Bool
    private let state: Locked<State>

    /// No more memory than about this, and a little for each thread.
    static let maximumBytes = 48 << 20
    /// No longer than this: what is only in memory is lost when the process ends.
    static let longest = Duration.seconds(1)
    /// How many seconds to wait before looking again whether somebody writes.
    private static let pause = 0.001
    /// How many sequences a thread takes at a time.
    private static let sequencesAtATime: UInt64 = 2048

    /// - Parameters:
    ///   - works: all that comes after the lowest of their sequences is mapped.
    ///   - end: the last sequence to be mapped.
    ///   - begin: is asked to take the rows of documents whose IDs ascend with their sequences, as soon as they are
    ///     there; false: it does not.
    init(
        _ database: Database,
        _ works: [ChunkMapper.Work],
        upTo end: UInt64,
        _ cancellation: Cancellation?,
        begin: @escaping @Sendable (_ work: Int, _ batches: [IndexBatch]) -> Bool
    ) {
        self.database = database
        self.begin = begin
        self.works = works
        self.end = end
        self.cancellation = cancellation
        deadline = .now + BulkLoadMapper.longest
        let rows = Array(repeating: ChunkMapper.Rows(), count: works.count)
        let start = works.map(\.after).min() ?? 0
        state = Locked(State(mapped: Mapped(rows: rows, begun: rows.map(\.batches)), given: start))
    }

    func run() throws(StorageError) -> Mapped {
        let lastUsed = try lastUsedSequence()
        state.withLock { state in
            state.lastUsed = lastUsed
            if lastUsed <= state.given { state.given = max(state.given, end) }
        }
        let pieces = lastUsed / BulkLoadMapper.sequencesAtATime + 1
        let threads = Int(min(UInt64(database.mappingThreads), pieces))
        if threads == 1 {
            mapPieces(isFirst: true)
        } else {
            DispatchQueue.concurrentPerform(iterations: threads) { thread in mapPieces(isFirst: thread == 0) }
        }
        return try state.withLock { (state) -> Result<Mapped, StorageError> in
            if let failure = state.failure { return .failure(failure) }
            state.mapped.last = state.given
            return .success(state.mapped)
        }.get()
    }

    /// The highest sequence of a document up to the end, 0 where there is none.
    private func lastUsedSequence() throws(StorageError) -> UInt64 {
        try database.withReadTransaction { (transaction) throws(StorageError) in
            var last: UInt64 = 0
            try transaction.orderedRecords(sequences: 0...end, descending: true, fields: .metadata) {
                (record) throws(StorageError) in
                last = record.sequence
                return false
            }
            return last
        }
    }

    /// - Parameter isFirst: whether this thread goes on while somebody writes. The others leave their processors to
    ///   those.
    private func mapPieces(isFirst: Bool) {
        while true {
            let waits = !isFirst && database.isBeingWritten
            guard let piece = nextPiece(waits: waits) else { return }
            if waits {
                Thread.sleep(forTimeInterval: BulkLoadMapper.pause)
                continue
            }
            do throws(StorageError) {
                try map(piece)
            } catch {
                state.withLock { $0.failure = $0.failure ?? error }
            }
        }
    }

    /// The sequences to be mapped next; nil: there are no more, or it is enough.
    ///
    /// - Parameter waits: only to be told whether there are any.
    private func nextPiece(waits: Bool) -> ClosedRange<UInt64>? {
        let isLate = ContinuousClock.now >= deadline
        return state.withLock { state in
            guard state.failure == nil, state.given < end else { return nil }
            guard !isLate, state.bytes < BulkLoadMapper.maximumBytes, cancellation?.isCancelled != true else {
                return nil
            }
            let left = state.lastUsed - state.given
            let piece = state.given + 1...state.given + min(left, BulkLoadMapper.sequencesAtATime)
            if !waits { state.given = piece.upperBound == state.lastUsed ? end : piece.upperBound }
            return piece
        }
    }

    private func map(_ piece: ClosedRange<UInt64>) throws(StorageError) {
        let mapper = ChunkMapper(database: database, threads: 1)
        var first = piece.lowerBound
        while first <= piece.upperBound {
            let range = first...piece.upperBound
            let chunk = try database.withReadTransaction { (transaction) throws(StorageError) in
                let chunk = try ChunkReader.read(range, in: transaction)
                if chunk.entries.isEmpty { try skipUnused(after: piece.upperBound, transaction) }
                return chunk
            }
            first = chunk.last + 1
            let rows = mapper.map(chunk, works)
            for number in rows.indices { keep(rows[number], of: number, hasAscendingIDs: chunk.hasAscendingIDs) }
        }
    }

    /// Gives no sequences out that nothing has, from one on: there may be far more of them than documents.
    private func skipUnused(after sequence: UInt64, _ transaction: any ReadTransaction) throws(StorageError) {
        guard sequence < end else { return }
        var next = end
        try transaction.records(sequences: sequence + 1...end, descending: false, fields: []) { record in
            next = record.sequence
            return false
        }
        try transaction.hiddenEntries(sequences: sequence + 1...end) { (number, _) in
            next = min(next, number)
            return false
        }
        state.withLock { $0.given = max($0.given, next - 1) }
    }

    private func keep(_ rows: ChunkMapper.Rows, of work: Int, hasAscendingIDs: Bool) {
        let isBegun = hasAscendingIDs && begin(work, rows.batches)
        var rest = rows
        if isBegun { rest.batches = [] }
        state.withLock { state in
            state.mapped.rows[work].add(rest)
            if isBegun { state.mapped.begun[work] += rows.batches }
            for batch in rows.batches { state.bytes += batch.memory }
        }
    }
}
