/// Finds servers of Settee's databases on the networks that this computer is on (`_settee._tcp` of DNS-SD).
///
/// ```swift
/// for try await event in Browser() {
///     if case .found(let peer) = event { print(peer.name, peer.url) }
/// }
/// ```
///
/// Each loop browses by itself, from its first turn until it is left or its task is cancelled. It begins with the peers
/// that are there, and includes what this computer advertises. Avahi's daemon may end and start again meanwhile: its
/// peers are lost, and found again.
///
/// At most 512 appearances are known at once (a peer has one for each network interface and version of IP); others come
/// in when half of these have gone. What is told slower than it comes is told in its latest state.
public struct Browser: AsyncSequence, Sendable {
    public typealias Element = BrowserEvent
    public typealias Failure = any Error

    public init() {}

    public func makeAsyncIterator() -> Iterator { Iterator() }

    public struct Iterator: AsyncIteratorProtocol {
        private enum State {
            case new
            case browsing(AvahiConnection, PeerFeed)
            case ended
        }

        private var state = State.new

        /// Waits for the next event; nil once the task is cancelled.
        ///
        /// - Throws: `StorageError`: `notImplemented` (501) without Avahi's library or its daemon, at first.
        public mutating func next() async throws -> BrowserEvent? {
            let feed: PeerFeed
            switch state {
            case .ended: return nil
            case .browsing(_, let open): feed = open
            case .new:
                feed = PeerFeed()
                let connection = try AvahiConnection.browse { [feed] in feed.receive($0) }
                state = .browsing(connection, feed)
            }
            do {
                guard let event = try await feed.next() else {
                    state = .ended
                    return nil
                }
                return event
            } catch {
                state = .ended
                throw error
            }
        }
    }
}
