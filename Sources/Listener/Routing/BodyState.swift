internal import NIOCore
internal import SetteeCouchProtocol

/// What a `BodyReader` holds under its lock.
struct BodyState {
    typealias Reader = CheckedContinuation<ByteBuffer?, any Error>

    enum End: Equatable {
        case open
        case finished
        case failed(CouchError)
    }

    private var pieces: CircularBuffer<ByteBuffer> = []
    private var waitingBytes = 0
    private var lastWatcher = 0
    var end = End.open
    /// Whether the connection waits for `demand`.
    var isHeld = false
    /// The task that waits in `next`. There are no pieces then.
    var reader: Reader?
    var isClientGone = false
    var watchers: [Int: @Sendable () -> Void] = [:]

    /// As many bytes may wait before the connection stops reading.
    private static let capacity = 65_536
    /// Pieces below are joined, so that chunks of one byte do not take a buffer each.
    private static let smallPiece = 1_024

    var isFinished: Bool { pieces.isEmpty && end == .finished }

    mutating func append(_ bytes: ByteBuffer) {
        waitingBytes += bytes.readableBytes
        if bytes.readableBytes < BodyState.smallPiece, !pieces.isEmpty {
            pieces[pieces.index(before: pieces.endIndex)].writeImmutableBuffer(bytes)
        } else {
            pieces.append(bytes)
        }
    }

    /// Hands the bytes to the waiting reader, or keeps them. Empty pieces and those after the end are dropped.
    mutating func deliver(_ bytes: ByteBuffer) -> (reader: Reader?, piece: ByteBuffer?, isFull: Bool) {
        guard end == .open, bytes.readableBytes > 0 else { return (nil, nil, isHeld) }
        if let reader = reader.take() { return (reader, bytes, false) }
        append(bytes)
        if waitingBytes >= BodyState.capacity { isHeld = true }
        return (nil, nil, isHeld)
    }

    /// What `next` returns; nil if it has to wait.
    mutating func take() -> Result<ByteBuffer?, any Error>? {
        if let piece = pieces.popFirst() {
            waitingBytes -= piece.readableBytes
            return .success(piece)
        }
        switch end {
        case .open: return nil
        case .finished: return .success(nil)
        case .failed(let error): return .failure(error)
        }
    }

    /// Whether the connection is to be asked for more. Asks once.
    mutating func release() -> Bool {
        guard isHeld, end == .open, waitingBytes < BodyState.capacity / 2 else { return false }
        isHeld = false
        return true
    }

    mutating func makeWatcherID() -> Int {
        lastWatcher &+= 1
        return lastWatcher
    }
}
