internal import StorageProtocol
internal import Synchronization

/// Keeps one process that writes in a loop from starving another. `flock` grants the lock to the first process that
/// asks, and this is nearly always the one that has just released it. The first page of the `writer` file holds two
/// words: when a process last failed to get it, and which process had the lock last. They are hints: wrong values cost
/// no more than a short pause.
final class WriterTurns: Sendable {
    private static let wantedWord = 0
    private static let ownerWord = 1
    /// A process that fails to get the lock records it at least this often.
    private static let freshness = Waiting.longest * 2
    /// How long the current owner continues before it lets another process in.
    private static let turn: UInt64 = 2_000_000

    private let page: SharedPage
    private let own: UInt64
    /// When this process first saw that another one was waiting; 0: none is.
    private let seenAt = Atomic<UInt64>(0)

    init(_ writer: LockFile) throws(StorageError) {
        if try writer.descriptor.info(writer.path).size < UInt64(SharedPage.size) {
            let page = [UInt8](repeating: 0, count: SharedPage.size)
            try unsafe writer.descriptor.write(page.span.bytes, at: 0, writer.path)
        }
        page = try SharedPage(writer.descriptor, writer.path)
        own = UInt64.random(in: 1 ... .max)
    }

    /// Whether others may be waiting. Needs no system call.
    var isWanted: Bool { page[WriterTurns.wantedWord] != 0 }

    /// Records that this process has failed to get the lock.
    func want() { page[WriterTurns.wantedWord] = max(Host.now(), 1) }

    /// Records that this process has the lock now. A process that is still waiting records it again.
    func taken() {
        if page[WriterTurns.ownerWord] != own {
            page[WriterTurns.ownerWord] = own
            page[WriterTurns.wantedWord] = 0
            seenAt.store(0, ordering: .relaxed)
        }
    }

    /// If this process had the lock last and another one has been waiting, pauses until the other one has had it.
    func letOthersGoFirst() {
        let now = Host.now()
        guard isFresh(now) else {
            // The waiting process has given up or died.
            page[WriterTurns.wantedWord] = 0
            return
        }
        guard page[WriterTurns.ownerWord] == own else { return }
        let seen = seenAt.load(ordering: .relaxed)
        if seen == 0 || seen > now {
            seenAt.store(now, ordering: .relaxed)
            return
        }
        guard now - seen > WriterTurns.turn else { return }
        var wait = Waiting(timeout: .nanoseconds(Int64(WriterTurns.freshness)))
        while page[WriterTurns.ownerWord] == own, isFresh(Host.now()), wait.pause() {}
        seenAt.store(0, ordering: .relaxed)
    }

    private func isFresh(_ now: UInt64) -> Bool {
        let wanted = page[WriterTurns.wantedWord]
        return wanted != 0 && (wanted > now ? wanted - now : now - wanted) < WriterTurns.freshness
    }
}
