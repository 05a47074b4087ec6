internal import Dispatch
internal import SetteeCouchProtocol
internal import StorageProtocol
internal import Testing

@testable internal import SetteeListener

@Suite struct ScryptPoolTests {
    /// Counts what runs at once.
    private final class Meter: Sendable {
        private let state = Locked((now: 0, most: 0, done: 0))
        let gate = DispatchSemaphore(value: 0)

        func job(_ end: @escaping @Sendable () -> Void) {
            state.withLock {
                $0.now += 1
                $0.most = max($0.most, $0.now)
            }
            gate.wait()
            state.withLock {
                $0.now -= 1
                $0.done += 1
            }
            end()
        }

        var most: Int { state.withLock { $0.most } }
        var done: Int { state.withLock { $0.done } }
    }

    @Test func runsTwoAtOnceAndBoundsItsQueue() async throws {
        let pool = ScryptPool(limit: 2, longestQueue: 3)
        let meter = Meter()
        let (ends, end) = AsyncStream.makeStream(of: Void.self)
        for _ in 0..<5 { #expect(pool.submit { meter.job { end.yield() } }) }
        #expect(pool.waiting == 3)
        // The queue is full, so that the next one is refused without a wait.
        #expect(!pool.submit { meter.job { end.yield() } })
        await #expect(throws: CouchError.unavailable) {
            try await pool.verify("a", salt: [1], hash: [], .least)
        }
        for _ in 0..<5 { meter.gate.signal() }
        var count = 0
        for await _ in ends {
            count += 1
            if count == 5 { break }
        }
        #expect(meter.most <= 2 && meter.done == 5 && pool.runs == 5 && pool.waiting == 0)
    }

    @Test func tellsRightFromWrong() async throws {
        let pool = ScryptPool()
        let entry = try PasswordEntry(name: "ida", password: "a", roles: [], parameters: .least)
        #expect(try await pool.verify("a", salt: entry.salt, hash: entry.hash, .least))
        #expect(try await !pool.verify("b", salt: entry.salt, hash: entry.hash, .least))
        #expect(try await !pool.verify("a", salt: entry.salt + [0], hash: entry.hash, .least))
        #expect(try await !pool.verify("a", salt: entry.salt, hash: entry.hash.dropLast(), .least))
        #expect(try await !pool.verify("a", salt: entry.salt, hash: [], .least))
        #expect(pool.runs == 5)
    }
}
