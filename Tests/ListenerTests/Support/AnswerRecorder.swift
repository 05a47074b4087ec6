internal import NIOCore
internal import StorageProtocol

@testable internal import SetteeListener

/// Collects what a stream writes, without a socket.
final class AnswerRecorder: AnswerSink {
    private let pieces = Locked<[[UInt8]]>([])

    func write(_ bytes: ByteBuffer) async throws {
        try Task.checkCancellation()
        pieces.withLock { $0.append(Array(bytes.readableBytesView)) }
    }

    /// What was written so far, joined.
    var bytes: [UInt8] { pieces.withLock { $0.flatMap { $0 } } }

    /// The whole body of an answer.
    ///
    /// - Throws: What the stream throws.
    static func body(of answer: Answer) async throws -> [UInt8] {
        switch answer.body {
        case .none: return []
        case .bytes(let bytes): return Array(bytes.readableBytesView)
        case .stream(_, let write):
            let recorder = AnswerRecorder()
            try await write(recorder)
            return recorder.bytes
        }
    }
}
