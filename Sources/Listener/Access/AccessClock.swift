internal import SetteeSystemLibrary

/// The time, for what ends by itself. Tests set their own.
package struct AccessClock: Sendable {
    /// Seconds since 1970, for what other programs see too: cookies and tokens.
    package var wall: @Sendable () -> Int64
    /// The time since any moment, for what stays in memory. Nobody can set it.
    package var uptime: @Sendable () -> Duration
    /// Waits. Throws if the task is cancelled meanwhile.
    package var sleep: @Sendable (Duration) async throws -> Void

    package init(
        wall: @escaping @Sendable () -> Int64,
        uptime: @escaping @Sendable () -> Duration,
        sleep: @escaping @Sendable (Duration) async throws -> Void
    ) {
        self.wall = wall
        self.uptime = uptime
        self.sleep = sleep
    }

    /// The clocks of the system.
    package static var system: AccessClock {
        let start = ContinuousClock.now
        return AccessClock(
            wall: { Int64(time(nil)) },
            uptime: { ContinuousClock.now - start },
            sleep: { try await Task.sleep(for: $0) }
        )
    }
}
