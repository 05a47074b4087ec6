internal import SetteeCouchProtocol
internal import StorageProtocol

/// Counts failed logins of names, or of addresses, and says how long the next one has to wait.
///
/// 0.1 s after the first failure, doubled by each further one up to 2 s. Forgotten five minutes after the last one. At
/// most 4,096 are counted; beyond, the one goes whose last failure is longest ago.
final class FailureTable: Sendable {
    private struct Entry {
        var count: Int
        var last: Duration
    }

    static let most = 4_096
    static let memory = Duration.seconds(300)
    static let longestDelay = Duration.seconds(2)

    private let entries = Locked<[TargetText: Entry]>([:])
    private let uptime: @Sendable () -> Duration

    init(uptime: @escaping @Sendable () -> Duration) { self.uptime = uptime }

    var count: Int { entries.withLock { $0.count } }

    /// Returns how long the next attempt has to wait.
    func delay(_ key: TargetText) -> Duration {
        let now = uptime()
        let count = entries.withLock { entries in
            guard let entry = entries[key], now < entry.last + FailureTable.memory else { return 0 }
            return entry.count
        }
        guard count > 0 else { return .zero }
        return min(FailureTable.longestDelay, .milliseconds(100 << min(count - 1, 5)))
    }

    /// - Complexity: O(1); O(entries) if there are as many as there may be.
    func fail(_ key: TargetText) {
        let now = uptime()
        entries.withLock { entries in
            if var entry = entries[key], now < entry.last + FailureTable.memory {
                entry.count = min(entry.count + 1, 1_000)
                entry.last = now
                entries[key] = entry
                return
            }
            if entries.count >= FailureTable.most, entries[key] == nil {
                entries = entries.filter { now < $0.value.last + FailureTable.memory }
                if entries.count >= FailureTable.most,
                    let oldest = entries.min(by: { $0.value.last < $1.value.last })
                {
                    entries[oldest.key] = nil
                }
            }
            entries[key] = Entry(count: 1, last: now)
        }
    }

    func forget(_ key: TargetText) { entries.withLock { $0[key] = nil } }
}
