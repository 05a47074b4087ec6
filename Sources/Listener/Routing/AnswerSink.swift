internal import NIOCore

/// Where a stream writes its answer's body.
protocol AnswerSink: Sendable {
    /// Writes a piece and returns once the operating system has taken it, so that a client that reads slowly holds up
    /// its own stream, and no piece waits in memory.
    ///
    /// An empty piece sends nothing. Pieces of 64 KiB are a good size.
    ///
    /// - Throws: Once the client has gone or has read nothing for longer than allowed; `CancellationError` if the task
    ///   is cancelled. The handler passes it on.
    func write(_ bytes: ByteBuffer) async throws
}
