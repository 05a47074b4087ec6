internal import NIOCore

extension AnswerSink {
    /// Writes pieces until there are no more. While a client takes them quickly, they are larger, and the next one is
    /// made while one is being written; for a slow client nothing is made before it is wanted.
    ///
    /// - Parameter next: Makes the piece after a state, of about so many bytes. Returns it with the state behind it;
    ///   nil at the end.
    func writePieces<State: Sendable>(
        after state: State,
        _ next: @escaping @Sendable (State, Int) async throws -> (state: State, bytes: ByteBuffer)?
    ) async throws {
        var pace = WritingPace()
        var piece = try await next(state, pace.pieceBytes)
        while let (behind, bytes) = piece {
            let (size, began) = (pace.pieceBytes, ContinuousClock.now)
            if pace.isFast {
                async let following = next(behind, size)
                try await write(bytes)
                pace.wrote(in: .now - began)
                piece = try await following
            } else {
                try await write(bytes)
                pace.wrote(in: .now - began)
                piece = try await next(behind, pace.pieceBytes)
            }
        }
    }
}

/// How quickly a client takes what is sent. The system takes the first pieces of any client at once.
private struct WritingPace {
    private var quickWrites = 0

    var isFast: Bool { quickWrites >= 8 }
    var pieceBytes: Int { isFast ? 262_144 : 65_536 }

    mutating func wrote(in time: Duration) { quickWrites = time < .milliseconds(20) ? quickWrites + 1 : 0 }
}
