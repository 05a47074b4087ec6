import Testing

@testable import SetteeKV

/// What a rewrite has to copy again.
@Suite struct LoggedKeysTests {
    private func key(_ number: Int) -> LoggedKey {
        let mixed = (UInt64(number) &* 0x9E37_79B9_7F4A_7C15).bigEndian
        return unsafe withUnsafeBytes(of: mixed) { bytes in unsafe LoggedKey(bytes, in: .rows) }
    }

    @Test func eachIsThereOnceAndComesOutOnce() {
        var keys = LoggedKeys()
        for number in [1, 2, 3, 2, 1] { keys.insert(key(number)) }
        #expect(keys.count == 3)
        let cost = key(1).cost
        #expect(keys.cost == 3 * cost)
        let first = keys.take(atMost: 2)
        #expect(first.count == 2 && keys.count == 1 && keys.cost == cost)
        // What was taken may be added again.
        keys.insert(first[0])
        keys.insert(first[0])
        #expect(keys.count == 2)
        #expect(Set(keys.take(atMost: 10)).count == 2)
        #expect(keys.count == 0 && keys.cost == 0)
        #expect(keys.take(atMost: 10).isEmpty)
    }

    /// When as many are taken as are added, and many stay.
    @Test func itStaysQuick() {
        var keys = LoggedKeys()
        var number = 0
        func add() -> Duration {
            ContinuousClock().measure {
                for _ in 0..<2048 {
                    number += 1
                    keys.insert(key(number))
                }
            }
        }
        let first = (0..<24).map { _ in add() }.min() ?? .zero
        var last: [Duration] = []
        for _ in 0..<200 {
            _ = keys.take(atMost: 2048)
            last.append(add())
        }
        let slowest = last.suffix(20).min() ?? .zero
        #expect(slowest < first * 10, "\(first) at the beginning, \(slowest) later")
    }
}
