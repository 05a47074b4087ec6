/// The values of a source as an asynchronous sequence: the present one at once, and then each that differs. A slow
/// consumer gets only the last one. Observation begins with the first call of `next`.
package struct LiveIterator<Source: LiveSource> {
    private var values: AsyncThrowingStream<Source.Value, any Error>.Iterator
    private let token: Token
    private var isOver = false

    /// Ends the observation when it is released.
    private final class Token: Sendable {
        let runner: LiveRunner<Source>

        init(_ runner: LiveRunner<Source>) { self.runner = runner }

        deinit { runner.stop() }
    }

    package init(_ source: Source, interval: Duration) {
        let (stream, continuation) = AsyncThrowingStream.makeStream(
            of: Source.Value.self,
            throwing: (any Error).self,
            bufferingPolicy: .bufferingNewest(1)
        )
        let runner = LiveRunner(source, interval: interval) { event in
            switch event {
            case .result(.success(let value)): continuation.yield(value)
            case .result(.failure(let error)): continuation.finish(throwing: error)
            case .same: break
            case .end: continuation.finish()
            }
        }
        values = stream.makeAsyncIterator()
        token = Token(runner)
    }

    /// Returns the next value; nil when the database is closed or the task is cancelled, and then always nil.
    ///
    /// - Throws: what the source throws; it ends then.
    package mutating func next() async throws -> Source.Value? {
        if isOver { return nil }
        token.runner.start()
        do {
            let value = try await values.next(isolation: #isolation)
            isOver = value == nil
            return value
        } catch {
            isOver = true
            throw error
        }
    }
}
