internal import StorageProtocol

/// MD5s of contents that were computed inside snapshots, where nothing can be written, until somebody keeps them.
final class ComputedMD5s: Sendable {
    typealias Entry = (sha1: [UInt8], md5: [UInt8])

    private let waiting: Locked<[Entry]> = Locked([])

    /// More are computed again when they are asked for.
    private static let most = 1_000

    var isEmpty: Bool { waiting.withLock { $0.isEmpty } }

    func add(_ entries: [Entry]) {
        waiting.withLock { $0 += entries.prefix(ComputedMD5s.most - $0.count) }
    }

    /// Removes and returns all of them.
    func take() -> [Entry] {
        waiting.withLock { waiting in
            defer { waiting = [] }
            return waiting
        }
    }
}
