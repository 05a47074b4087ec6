internal import StorageProtocol

@testable internal import SetteeListener

/// A clock that the test sets. Waiting sets it forward, and is noted.
final class TestClock: Sendable {
    private struct State {
        var wall: Int64 = 1_800_000_000
        var uptime = Duration.zero
        var delays: [Duration] = []
    }

    private let state = Locked(State())

    var clock: AccessClock {
        AccessClock(
            wall: { self.state.withLock { $0.wall } },
            uptime: { self.state.withLock { $0.uptime } },
            sleep: { delay in
                self.state.withLock { state in
                    state.delays.append(delay)
                    state.uptime += delay
                }
            }
        )
    }

    var wall: Int64 { state.withLock { $0.wall } }
    /// How long logins had to wait, in order.
    var delays: [Duration] { state.withLock { $0.delays } }

    func advance(_ seconds: Int64) {
        state.withLock { state in
            state.wall += seconds
            state.uptime += .seconds(seconds)
        }
    }
}
