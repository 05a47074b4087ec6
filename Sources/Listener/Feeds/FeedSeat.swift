internal import StorageProtocol

/// A feed's place among those that wait, given back once: when the feed ends, or if it never begins.
final class FeedSeat: Sendable {
    private let feeds: FeedCount
    private let isTaken = Locked(true)

    init(_ feeds: FeedCount) { self.feeds = feeds }

    deinit { leave() }

    func leave() {
        let wasTaken = isTaken.withLock { isTaken in
            defer { isTaken = false }
            return isTaken
        }
        if wasTaken { feeds.end() }
    }
}
