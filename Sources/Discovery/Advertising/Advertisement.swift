internal import StorageProtocol

/// A server that is advertised on the networks that this computer is on, until it is stopped or released.
///
/// ```swift
/// var service = AdvertisedService(name: "Studio", port: 5984)
/// service.uuid = listener.uuid
/// let advertisement = try await Advertisement.start(service)
/// print(advertisement.name)  // "Studio", or "Studio #2" if another one has that name
/// ```
///
/// Avahi's daemon may end and start again meanwhile: the service is then advertised again.
public final class Advertisement: Sendable {
    private let feed: NameFeed
    private let connection: Locked<AvahiConnection?>

    private init(_ connection: AvahiConnection, _ feed: NameFeed) {
        self.connection = Locked(connection)
        self.feed = feed
    }

    /// Begins to advertise. Returns when the name is settled, after about a second; cancelling the task gives it up.
    ///
    /// - Throws: `StorageError`: `notImplemented` (501) without Avahi's library or its daemon, `badParameter` (495) for
    ///   a service that cannot be advertised. `CancellationError`.
    public static func start(_ service: AdvertisedService) async throws -> Advertisement {
        try service.check()
        let feed = NameFeed()
        let connection = try AvahiConnection.advertise(service) { feed.receive($0) }
        let advertisement = Advertisement(connection, feed)
        try await feed.waitForName()
        return advertisement
    }

    /// The name in use.
    public var name: String { feed.name }

    /// The name in use, and each that takes its place because another computer has the same. It ends with `stop`. One
    /// loop at a time receives them; a slow one the latest.
    public var names: AsyncStream<String> { feed.names }

    /// Ends the advertisement. Others are told at once. Called again, does nothing.
    public func stop() {
        connection.withLock { $0 = nil }
        feed.end()
    }

    deinit { feed.end() }
}
