internal import Crypto
internal import Dispatch
internal import StorageProtocol

/// The SHA-1 and SHA-256 of a content that comes in pieces. A long piece is hashed by another thread while the caller
/// writes it: together the two digests take about as long as that.
final class ConcurrentDigests: Sendable {
    private struct Hashes {
        var sha1 = Insecure.SHA1()
        var sha256 = SHA256()

        mutating func update(_ bytes: UnsafeRawBufferPointer) {
            unsafe sha1.update(bufferPointer: bytes)
            unsafe sha256.update(bufferPointer: bytes)
        }
    }

    /// @unchecked: read by the other thread only while the caller waits for it.
    @safe
    private struct Piece: @unchecked Sendable {
        let bytes: UnsafeRawBufferPointer
    }

    private let queue = DispatchQueue(label: "settee.digests")
    private let hashes = Locked(Hashes())

    /// Shorter pieces are hashed by the caller: handing one over takes some microseconds.
    private static let shortest = 32 << 10

    /// Adds a piece while it does `work`. Returns when both are done: no other thread reads the piece after that.
    func update(
        _ bytes: UnsafeRawBufferPointer,
        beside work: () throws(StorageError) -> Void
    ) throws(StorageError) {
        guard bytes.count >= ConcurrentDigests.shortest else {
            hashes.withLock { unsafe $0.update(bytes) }
            return try work()
        }
        let piece = unsafe Piece(bytes: bytes)
        queue.async { [self] in hashes.withLock { unsafe $0.update(piece.bytes) } }
        defer { queue.sync {} }
        try work()
    }

    /// The digests of all pieces.
    func finish() -> (sha1: [UInt8], sha256: [UInt8]) {
        hashes.withLock { (Array($0.sha1.finalize()), Array($0.sha256.finalize())) }
    }
}
