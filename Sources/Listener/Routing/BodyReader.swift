internal import NIOCore
internal import SetteeCouchProtocol
internal import StorageProtocol

/// The body of one request, read piece by piece, once, by one task at a time.
///
/// The server reads from the socket only while less than 64 KiB wait here, so that a body of any length takes bounded
/// memory. Nobody has to read it: a small rest that is left when the handler has answered is discarded, a longer one
/// ends the connection.
final class BodyReader: Sendable {
    private let state: Locked<BodyState>
    /// Asks the connection for more; nil for a body that is in memory.
    private let demand: (@Sendable () -> Void)?

    /// A body that is in memory, for tests and for handlers that are called without a socket.
    init(bytes: [UInt8]) {
        var state = BodyState()
        if !bytes.isEmpty { state.append(ByteBuffer(bytes: bytes)) }
        state.end = .finished
        self.state = Locked(state)
        demand = nil
    }

    /// A body that a connection fills.
    ///
    /// - Parameters:
    ///   - isHeld: Whether the connection waits for `demand` before it reads or lets the client send.
    ///   - demand: Called, on any thread, when the connection waits and there is room again.
    init(isHeld: Bool, demand: @escaping @Sendable () -> Void) {
        var state = BodyState()
        state.isHeld = isHeld
        self.state = Locked(state)
        self.demand = demand
    }

    /// The next bytes, never empty; nil at the body's end, and from then on.
    ///
    /// - Throws: `CouchError`: 400 if the client went away before the end, or its chunks are malformed; 408 if it sends
    ///   too slowly. Then from every later call, too. `CancellationError` if the task is cancelled.
    func next() async throws -> ByteBuffer? {
        let (result, isWanted) = state.withLock { ($0.take(), $0.release()) }
        if isWanted { demand?() }
        if let result { return try result.get() }
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let result: Result<ByteBuffer?, any Error>? = state.withLock {
                    if let result = $0.take() { return result }
                    if Task.isCancelled { return .failure(CancellationError()) }
                    if $0.reader != nil { return .failure(BodyReader.twoReaders) }
                    $0.reader = continuation
                    return nil
                }
                if let result { continuation.resume(with: result) }
            }
        } onCancel: {
            state.withLock { $0.reader.take() }?.resume(throwing: CancellationError())
        }
    }

    /// Whether `next` has reached the body's end. A request without a body is finished from the start.
    var isFinished: Bool { state.withLock { $0.isFinished } }

    /// Returns when the client has closed its side of the connection, or the connection is lost or cut, or this task
    /// is cancelled; at once if that has happened. With a body in memory: on cancellation only.
    ///
    /// For handlers that wait for long, as feeds do: without it they would learn of it at their next write. A client
    /// may close its sending side only and read on, so that an answer is still sent if there is one.
    func whenClientGone() async {
        let watcher = makeWatcher()
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                if Task.isCancelled { return continuation.resume() }
                watch(watcher) { continuation.resume() }
                // The task may have been cancelled before there was anything to remove.
                if Task.isCancelled { removeWatcher(watcher)?() }
            }
        } onCancel: {
            removeWatcher(watcher)?()
        }
    }

    /// Makes a number for `watch`.
    func makeWatcher() -> Int { state.withLock { $0.makeWatcherID() } }

    /// Calls `action` once, when `whenClientGone` would return, unless the watcher is removed before; at once if that
    /// has happened. For those who wait for something else as well, and should cost no task.
    func watch(_ watcher: Int, _ action: @escaping @Sendable () -> Void) {
        let isGone = state.withLock {
            if !$0.isClientGone { $0.watchers[watcher] = action }
            return $0.isClientGone
        }
        if isGone { action() }
    }

    /// Returns the action if it has not been called.
    @discardableResult
    func removeWatcher(_ watcher: Int) -> (@Sendable () -> Void)? {
        state.withLock { $0.watchers.removeValue(forKey: watcher) }
    }

    private static let twoReaders = CouchError(500, "internal_server_error", "Two tasks read one body.")
}

/// For the connection.
extension BodyReader {
    /// Adds bytes that have come.
    ///
    /// - Returns: Whether so much waits that the connection is to stop reading until `demand` is called.
    func append(_ bytes: ByteBuffer) -> Bool {
        let (reader, piece, isFull) = state.withLock { $0.deliver(bytes) }
        if let reader, let piece { reader.resume(returning: piece) }
        return isFull
    }

    /// Ends the body, well or with the error that `next` throws after the bytes that came before. Only the first call
    /// counts.
    func end(_ error: CouchError? = nil) {
        let reader: BodyState.Reader? = state.withLock { state in
            guard state.end == .open else { return nil }
            state.end = error.map { .failed($0) } ?? .finished
            return state.reader.take()
        }
        if let error { reader?.resume(throwing: error) } else { reader?.resume(returning: nil) }
    }

    /// Tells those who wait for it.
    func clientGone() {
        let watchers = state.withLock { state in
            state.isClientGone = true
            defer { state.watchers = [:] }
            return state.watchers
        }
        for action in watchers.values { action() }
    }
}
