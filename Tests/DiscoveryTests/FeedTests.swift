internal import StorageProtocol
internal import Testing

@testable internal import SetteeDiscovery

/// Waiting for what Avahi's thread tells.
@Suite struct FeedTests {
    private let failure = StorageError.noDiscovery(1, "")

    @Test("events reach the one that waits, and those that came before")
    func events() async throws {
        let feed = PeerFeed()
        async let first = feed.next()
        feed.receive(.found(.sample("a")))
        feed.receive(.found(.sample("b")))
        guard case .found(let a)? = try await first, case .found(let b)? = try await feed.next() else {
            Issue.record("Two peers are missing.")
            return
        }
        #expect(Set([a.name, b.name]) == ["a", "b"])
        feed.receive(.ended)
        let end = try await feed.next()
        #expect(end == nil)
    }

    @Test("a failure is thrown once, before the end")
    func failed() async throws {
        let feed = PeerFeed()
        feed.receive(.failed(failure))
        feed.receive(.ended)
        let error = await #expect(throws: StorageError.self) {
            let event = try await feed.next()
            _ = event
        }
        #expect(error?.code == .notImplemented)
        let end = try await feed.next()
        #expect(end == nil)
    }

    @Test("a cancelled task waits no longer")
    func cancelled() async throws {
        let feed = PeerFeed()
        let task = Task { try await feed.next() }
        task.cancel()
        let event = try await task.value
        #expect(event == nil)
    }

    @Test("an advertisement's name is waited for, and later names follow")
    func names() async throws {
        let feed = NameFeed()
        async let first: Void = feed.waitForName()
        feed.receive(.named("Studio"))
        try await first
        #expect(feed.name == "Studio")
        feed.receive(.named("Studio #2"))
        feed.receive(.ended)
        var names: [String] = []
        for await name in feed.names { names.append(name) }
        // The latest, where none was taken in between.
        #expect(names == ["Studio #2"])
    }

    @Test("an advertisement that fails, ends or is cancelled before it has a name throws that")
    func noName() async {
        let failed = NameFeed()
        failed.receive(.failed(failure))
        await #expect(throws: StorageError.self) { try await failed.waitForName() }
        let ended = NameFeed()
        ended.receive(.ended)
        await #expect(throws: CancellationError.self) { try await ended.waitForName() }
        let cancelled = NameFeed()
        let task = Task { try await cancelled.waitForName() }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
    }
}
