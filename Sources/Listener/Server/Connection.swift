internal import NIOCore

/// A connection as its task sees it. What it calls runs on the connection's event loop.
struct Connection: Sendable {
    let channel: any Channel
    let exchanges: RequestQueue
    let handler: NIOLoopBound<ConnectionHandler>

    /// Sends an answer and returns; of a stream, once it is written or the client is gone.
    func send(_ answer: Answer) async {
        switch answer.body {
        case .none: channel.eventLoop.execute { handler.value.send(answer, ByteBuffer()) }
        case .bytes(let bytes): channel.eventLoop.execute { handler.value.send(answer, bytes) }
        case .stream(let length, let write):
            let isWanted = try? await channel.eventLoop.submit {
                handler.value.beginStream(answer, length: length)
            }.get()
            guard isWanted == true else { return }
            let sink = ConnectionSink(connection: self, length: length)
            let isComplete: Bool
            do {
                try await write(sink)
                isComplete = sink.isComplete
            } catch {
                isComplete = false
            }
            // A body that ends early, seen as such: without its last chunk, or with less than its length.
            guard isComplete else { return channel.close(promise: nil) }
            channel.eventLoop.execute { handler.value.endStream() }
        }
    }

    /// Returns once the operating system has taken the piece.
    func write(_ piece: ByteBuffer) async throws {
        try await channel.eventLoop.flatSubmit { handler.value.write(piece) }.get()
    }
}
