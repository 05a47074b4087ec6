internal import StorageProtocol

/// The content of an attachment in lumps. Pieces come in lengths of the network, and each write changes threads.
///
/// Two lumps take turns, so that one can be filled while the other is written. Memory that is new for each lump would
/// cost as much time as hashing does.
final class ContentLumps: Sendable {
    /// A lump is full with so many bytes; the piece that makes it full is added whole.
    private static let fullSize = 512 << 10
    private static let usualPiece = 64 << 10

    /// Some bytes of the content.
    final class Lump: Sendable {
        fileprivate let content: Locked<[UInt8]> = Locked([])

        var count: Int { content.withLock { $0.count } }

        func withBytes<R, E: Error>(_ body: ([UInt8]) throws(E) -> R) throws(E) -> R {
            try content.withLock { (bytes) throws(E) in try body(bytes) }
        }
    }

    private struct State {
        /// Where the next piece begins.
        var position: UInt64
        var turn = 0
        var isAtEnd = false
        var failure: (any Error)?
    }

    private let pieces: any ContentPieces
    private let start: UInt64
    private let lumps = [Lump(), Lump()]
    private let state: Locked<State>

    /// - Parameter start: where the first lump begins. The pieces may begin before it.
    init(_ pieces: any ContentPieces, from start: UInt64) {
        self.pieces = pieces
        self.start = start
        state = Locked(State(position: pieces.offset))
    }

    /// The next bytes, at least one; nil at the end. One call at a time. The lump before stays as it is, the one before
    /// that is used again.
    ///
    /// - Throws: why the pieces break off, after all that has come was returned.
    func next() async throws -> Lump? {
        let lump = state.withLock { state in
            state.turn = 1 - state.turn
            return lumps[state.turn]
        }
        var bytes: [UInt8] = []
        lump.content.withLock { swap(&bytes, &$0) }
        bytes.removeAll(keepingCapacity: true)
        do {
            while bytes.count < ContentLumps.fullSize, try await add(to: &bytes) {}
        } catch {
            guard !bytes.isEmpty else { throw error }
            state.withLock { $0.failure = error }
        }
        guard !bytes.isEmpty else { return nil }
        lump.content.withLock { swap(&bytes, &$0) }
        return lump
    }

    /// Adds a piece without what is known of it. False at the end.
    private func add(to bytes: inout [UInt8]) async throws -> Bool {
        let (isAtEnd, failure) = state.withLock { ($0.isAtEnd, $0.failure) }
        if let failure { throw failure }
        guard !isAtEnd else { return false }
        let before = bytes.count
        // Grown by steps it would be copied several times.
        if before > 0, bytes.capacity < ContentLumps.fullSize {
            bytes.reserveCapacity(ContentLumps.fullSize + ContentLumps.usualPiece)
        }
        guard try await pieces.next(to: &bytes) else {
            state.withLock { $0.isAtEnd = true }
            return false
        }
        let known = state.withLock { state in
            defer { state.position += UInt64(bytes.count - before) }
            return state.position < start ? Int(clamping: start - state.position) : 0
        }
        if known > 0 { bytes.removeSubrange(before..<min(before + known, bytes.count)) }
        return true
    }
}
