internal import Foundation
internal import Settee
internal import SetteeSystemLibrary
internal import SetteeTestSupport
internal import StorageConformance
internal import StorageProtocol
internal import Testing

@testable internal import SetteeReplicator

@Suite("Changes of the network", .timeLimit(.minutes(2)))
struct NetworkTests {
    /// A watcher whose network changes when a test says so.
    private final class Network: Sendable {
        private final class Source: Sendable {
            let end: @Sendable () -> Void
            init(_ end: @escaping @Sendable () -> Void) { self.end = end }
            deinit { end() }
        }

        private let change = Locked<(@Sendable () -> Void)?>(nil)
        let opened = Locked(0)

        var watcher: NetworkWatcher {
            NetworkWatcher { change in
                self.opened.withLock { $0 += 1 }
                self.change.withLock { $0 = change }
                return Source { self.change.withLock { $0 = nil } }
            }
        }

        var isWatched: Bool { change.withLock { $0 != nil } }
        func changes() { change.withLock { $0 }?() }
    }

    @Test("who waits is woken, nothing falls between, and nobody looks when nobody waits")
    func watch() async throws {
        let network = Network()
        let watcher = network.watcher
        var watches: [NetworkWatch] = [watcher.watch(), watcher.watch()]
        #expect(network.isWatched && network.opened.withLock { $0 } == 1)
        network.changes()
        for watch in watches { try await watch.change() }
        for watch in watches { watch.take() }
        let waiting = watches.map { watch in Task { try await watch.change() } }
        let cancelled = watches.map { watch in Task { try await watch.change() } }
        for task in cancelled { task.cancel() }
        for task in cancelled { await #expect(throws: CancellationError.self) { try await task.value } }
        network.changes()
        for task in waiting { try await task.value }
        watches.removeLast()
        #expect(network.isWatched)
        watches = []
        try await eventually { !network.isWatched && !watcher.isOpen }
        let last = watcher.watch()
        #expect(network.opened.withLock { $0 } == 2)
        withExtendedLifetime(last) {}
    }

    private func offline(
        _ bed: ReplicationBed,
        _ network: Network,
        _ isCut: @escaping @Sendable () -> Bool
    ) -> (Replicator, FaultyPeer) {
        bed.limits.network = network.watcher
        bed.limits.restartDelay = .seconds(100_000)
        var configuration = bed.configuration(.push)
        configuration.isContinuous = true
        configuration.longestRetryDelay = .seconds(100_000)
        let peer = FaultyPeer(LocalPeer(bed.b)) { _, _ in
            if isCut() { throw PeerError.cut }
        }
        return (bed.replicator(configuration, to: peer), peer)
    }

    @Test("a replication that is offline goes on when the network changes, and then does not look any more")
    func wakes() async throws {
        let bed = try ReplicationBed()
        _ = try bed.a["a"].put(["n": 1])
        let network = Network()
        let isCut = Locked(true)
        let (replicator, _) = offline(bed, network) { isCut.withLock { $0 } }
        replicator.start()
        try await eventually { replicator.status.activity == .offline && network.isWatched }
        isCut.withLock { $0 = false }
        network.changes()
        try await eventually { try bed.b["a"].exists && replicator.status.activity == .idle }
        #expect(!network.isWatched)
        await replicator.stop()
        try bed.close()
    }

    @Test("a network that changes all the time makes four attempts a second at most")
    func flapping() async throws {
        let bed = try ReplicationBed()
        let network = Network()
        let (replicator, peer) = offline(bed, network) { true }
        replicator.start()
        try await eventually { network.isWatched }
        let began = ContinuousClock.now
        try await eventually {
            network.changes()
            return peer.count(.information) >= 4
        }
        // The first attempt and the beginning of a wait were before.
        #expect(ContinuousClock.now - began > .milliseconds(500))
        await replicator.stop()
        #expect(!network.isWatched)
        try bed.close()
    }

    /// A `struct nlmsghdr` and what follows it.
    private func message(_ type: UInt16, length: UInt32? = nil, payload: Int = 20) -> [UInt8] {
        func bytes<N: FixedWidthInteger>(_ number: N) -> [UInt8] { withUnsafeBytes(of: number) { Array($0) } }
        return bytes(length ?? UInt32(16 + payload)) + bytes(type) + bytes(UInt16(0)) + bytes(UInt32(0))
            + bytes(UInt32(0)) + [UInt8](repeating: 0, count: payload)
    }

    @Test("links, addresses and routes are changes; neighbours, errors and what is malformed are not")
    func messages() {
        for type: UInt16 in [16, 17, 20, 21, 24, 25] {
            #expect(RoutingMessages.tellOfChange(message(type)[...]))
            #expect(RoutingMessages.tellOfChange((message(28, payload: 21) + [0, 0, 0] + message(type))[...]))
            #expect(!RoutingMessages.tellOfChange(message(type, length: 15)[...]))
            #expect(!RoutingMessages.tellOfChange(message(type, length: 0)[...]))
            #expect(!RoutingMessages.tellOfChange(message(type, length: .max)[...]))
            for count in 0..<36 { #expect(!RoutingMessages.tellOfChange(message(type).prefix(count))) }
        }
        for type: UInt16 in [0, 1, 2, 3, 28, 29, .max] { #expect(!RoutingMessages.tellOfChange(message(type)[...])) }
        #expect(!RoutingMessages.tellOfChange((message(28, length: 15) + message(16))[...]))
        var random = SeededGenerator(seed: 5)
        for _ in 0..<2_000 { _ = RoutingMessages.tellOfChange(random.bytes(random.below(200))[...]) }
        #expect(RoutingMessages.address.count == 12)
    }

    #if os(Linux)
    @Test("the system tells of an interface that comes up, in a network of the test's own")
    func system() async throws {
        guard let symbol = dlsym(nil, "unshare") else { return }
        let unshare = unsafeBitCast(symbol, to: (@convention(c) (Int32) -> Int32).self)
        let watch = Locked<NetworkWatch?>(nil)
        let isAllowed = Locked(false)
        let watcher = NetworkWatcher { RoutingSocket($0) }
        // The network belongs to the thread, and to what it starts.
        let work = Background {
            guard unshare(0x4000_0000) == 0 else { return }  // CLONE_NEWNET
            isAllowed.withLock { $0 = true }
            watch.withLock { $0 = watcher.watch() }
            let program = Process()
            program.executableURL = URL(filePath: "/bin/sh")
            program.arguments = ["-c", "ip link set lo up || ifconfig lo up"]
            try program.run()
            program.waitUntilExit()
            try #require(program.terminationStatus == 0)
        }
        guard work.ends(within: 60), isAllowed.withLock({ $0 }) else { return }
        try work.join()
        #expect(watcher.isOpen)
        try await watch.withLock { $0 }?.change()
        watch.withLock { $0 = nil }
        #expect(!watcher.isOpen)
    }
    #endif
}
