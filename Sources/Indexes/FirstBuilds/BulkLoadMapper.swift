internal import Dispatch
internal import Foundation
internal import SetteeEngine
internal import StorageProtocol

/// Maps documents into memory, in the order of their sequences and on several threads. Each thread reads and maps
/// ranges of sequences on its own snapshots, until all are mapped or enough is in memory.
final class BulkLoadMapper: Sendable {
    /// What was mapped.
    struct Mapped: Sendable {
        /// The rows for each mapper, without those passed to `begin`.
        var rows: [ChunkMapper.Rows]
        /// The batches passed to `begin`, for each mapper.
        var begun: [[IndexBatch]]
        /// All documents up to this sequence were mapped.
        var last: UInt64 = 0
    }

    private struct State {
        var mapped: Mapped
        /// The last sequence that has been assigned to a thread.
        var given: UInt64
        /// The last sequence that a document has. Sequences after it are done when it is.
        var lastUsed: UInt64 = 0
        /// The approximate memory that the rows take.
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

    /// The approximate memory limit; each thread may exceed it a little.
    static let maximumBytes = 48 << 20
    /// The time limit of a run: what is only in memory is lost if the process ends.
    static let longest = Duration.seconds(1)
    /// How many seconds to wait before checking again whether a write is going on.
    private static let pause = 0.001
    /// How many sequences a thread takes at a time.
    private static let sequencesAtATime: UInt64 = 2048

    /// - Parameters:
    ///   - works: the mappers. All sequences after the lowest of theirs are mapped.
    ///   - end: the last sequence to be mapped.
    ///   - begin: called with the rows of documents whose IDs ascend with their sequences, as soon as they are there.
    ///     It returns false if it does not take them.
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

    /// Called once.
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
            var mapped = Mapped(rows: [], begun: [])
            swap(&mapped, &state.mapped)
            mapped.last = state.given
            return .success(mapped)
        }.get()
    }

    /// Returns the highest sequence of a document up to the end, 0 if there is none.
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

    /// - Parameter isFirst: whether this thread goes on during writes. The others pause then, to leave their processors
    ///   to the writers.
    private func mapPieces(isFirst: Bool) {
        let direct = DirectMapper(works)
        while true {
            let waits = !isFirst && database.isBeingWritten
            guard let piece = nextPiece(waits: waits) else { return }
            if waits {
                Thread.sleep(forTimeInterval: BulkLoadMapper.pause)
                continue
            }
            do throws(StorageError) {
                if let direct { try map(piece, direct) } else { try map(piece) }
            } catch {
                state.withLock { $0.failure = $0.failure ?? error }
            }
        }
    }

    /// Returns the sequences to map next; nil if there are none left, or enough is in memory.
    ///
    /// - Parameter waits: only look whether there are any, without taking them.
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

    /// Maps documents while their records are read.
    private func map(_ piece: ClosedRange<UInt64>, _ direct: DirectMapper) throws(StorageError) {
        var first = piece.lowerBound
        while first <= piece.upperBound {
            let range = first...piece.upperBound
            let mapped = try database.withReadTransaction { (transaction) throws(StorageError) in
                let mapped = try direct.map(range, in: transaction)
                if mapped.isEmpty { try skipUnused(after: piece.upperBound, transaction) }
                return mapped
            }
            first = mapped.last + 1
            for number in mapped.rows.indices { keep(mapped.rows[number], of: number) }
        }
    }

    /// Copies documents, and maps them outside of the transaction.
    private func map(_ piece: ClosedRange<UInt64>) throws(StorageError) {
        let mapper = ChunkMapper(database: database, threads: 1)
        var first = piece.lowerBound
        while first <= piece.upperBound {
            let range = first...piece.upperBound
            let chunk = try database.withReadTransaction { (transaction) throws(StorageError) in
                let chunk = try ChunkReader.read(range, for: works.map(\.mapper), in: transaction)
                if chunk.entries.isEmpty { try skipUnused(after: piece.upperBound, transaction) }
                return chunk
            }
            first = chunk.last + 1
            let rows = try mapper.map(chunk, works)
            for number in rows.indices { keep(rows[number], of: number) }
        }
    }

    /// Skips sequences that nothing uses, starting after one: there may be far more sequences than documents.
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

    private func keep(_ rows: ChunkMapper.Rows, of work: Int) {
        let isBegun = rows.batches.allSatisfy(\.hasAscendingIDs) && begin(work, rows.batches)
        var rest = rows
        if isBegun { rest.batches = [] }
        state.withLock { state in
            state.mapped.rows[work].add(rest)
            if isBegun { state.mapped.begun[work] += rows.batches }
            for batch in rows.batches { state.bytes += batch.memory }
        }
    }
}
