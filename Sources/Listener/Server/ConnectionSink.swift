internal import NIOCore
internal import StorageProtocol

/// Writes a stream's pieces to a connection.
final class ConnectionSink: AnswerSink {
    private let connection: Connection
    /// Bytes that are missing; nil if the length was not told.
    private let missing: Locked<Int?>

    private static let pieceSize = 262_144

    init(connection: Connection, length: Int?) {
        self.connection = connection
        missing = Locked(length)
    }

    /// Whether as many bytes were written as told.
    var isComplete: Bool { missing.withLock { $0 ?? 0 } == 0 }

    func write(_ bytes: ByteBuffer) async throws {
        try Task.checkCancellation()
        let count = bytes.readableBytes
        let fits = missing.withLock {
            guard let left = $0 else { return true }
            $0 = left - count
            return left >= count
        }
        guard fits else {
            throw StorageError(.unexpected, "An answer was longer than it said. This is a bug; please report it.")
        }
        var bytes = bytes
        while bytes.readableBytes > 0,
            let piece = bytes.readSlice(length: min(bytes.readableBytes, ConnectionSink.pieceSize))
        {
            try await connection.write(piece)
        }
    }
}
