internal import NIOCore
internal import StorageProtocol

@testable internal import SetteeListener

/// Keeps what a stream writes.
final class CollectingSink: AnswerSink {
    private let state = Locked<(bytes: [UInt8], largest: Int)>(([], 0))
    private let goesAfter: Int

    /// - Parameter goesAfter: The client goes once it has read so many bytes.
    init(goesAfter: Int = .max) { self.goesAfter = goesAfter }

    struct Gone: Error {}

    func write(_ bytes: ByteBuffer) async throws {
        let count = state.withLock {
            $0.bytes.append(contentsOf: bytes.readableBytesView)
            $0.largest = max($0.largest, bytes.readableBytes)
            return $0.bytes.count
        }
        if count >= goesAfter { throw Gone() }
    }

    /// What was written, and the length of the largest piece.
    var collected: ([UInt8], Int) { state.withLock { ($0.bytes, $0.largest) } }
    var bytes: [UInt8] { collected.0 }
    var text: String { String(decoding: bytes, as: UTF8.self) }
}
