internal import Crypto
internal import Dispatch
internal import StorageProtocol

/// The MD5 of a content that comes in pieces, computed beside its caller: a piece is hashed while the caller writes it
/// and waits for the next one. MD5 takes as long as all else that is done with a piece.
final class ConcurrentMD5: Sendable {
    private let queue = DispatchQueue(label: "settee.md5")
    private let hash = Locked(Insecure.MD5())

    /// Shorter pieces are hashed at once: handing one over takes some microseconds.
    private static let shortest = 16_384

    /// Adds a piece. Waits for the piece before, so that at most one is kept.
    func update(_ piece: [UInt8]) {
        guard piece.count >= ConcurrentMD5.shortest else { return queue.sync { add(piece) } }
        queue.sync {}
        queue.async { [self] in add(piece) }
    }

    /// The 16 bytes of the digest of all pieces.
    func digest() -> [UInt8] { queue.sync { hash.withLock { Array($0.finalize()) } } }

    private func add(_ piece: [UInt8]) {
        hash.withLock { hash in unsafe piece.withUnsafeBytes { unsafe hash.update(bufferPointer: $0) } }
    }
}
