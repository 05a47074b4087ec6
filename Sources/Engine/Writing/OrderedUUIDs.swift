internal import Foundation
internal import StorageProtocol

/// Makes UUIDs of version 7 (RFC 9562), each above all that this generator made before. New documents are then next to
/// each other in a store, which costs a fraction of what random places do.
///
/// The upper 48 bits are milliseconds since 1970. The other 74 that are free are random at the first UUID of a
/// millisecond, and grow by a random amount at each further one. A clock that goes back is not followed: the UUIDs
/// continue from the latest time.
final class OrderedUUIDs: Sendable {
    private struct State {
        var milliseconds: UInt64 = 0
        /// The upper 12 of the 74 bits.
        var upper: UInt64 = 0
        /// The lower 62 of the 74 bits.
        var lower: UInt64 = 0
    }

    private let state = Locked(State())
    private let now: @Sendable () -> UInt64

    /// - Parameter now: Returns the time in milliseconds since 1970.
    init(now: @escaping @Sendable () -> UInt64 = { UInt64(max(0, Date().timeIntervalSince1970 * 1000)) }) {
        self.now = now
    }

    /// Returns the next UUID as text in lower case.
    func next() -> String {
        let time = now() & (1 << 48 - 1)
        let (high, low) = state.withLock { state in
            if time > state.milliseconds {
                state.milliseconds = time
                OrderedUUIDs.draw(&state)
            } else {
                OrderedUUIDs.grow(&state)
            }
            return (state.milliseconds << 16 | 0x7000 | state.upper, 1 << 63 | state.lower)
        }
        return OrderedUUIDs.text(high, low)
    }

    /// The highest of the bits is zero, so that there is room to grow within the millisecond.
    private static func draw(_ state: inout State) {
        state.upper = UInt64.random(in: 0..<1 << 11)
        state.lower = UInt64.random(in: 0..<1 << 62)
    }

    private static func grow(_ state: inout State) {
        state.lower += UInt64.random(in: 1...1 << 40)
        guard state.lower >> 62 != 0 else { return }
        state.lower &= 1 << 62 - 1
        state.upper += 1
        guard state.upper >> 12 != 0 else { return }
        state.milliseconds += 1
        draw(&state)
    }

    private static func text(_ high: UInt64, _ low: UInt64) -> String {
        let halves = [high, low].map { half in
            let digits = String(half, radix: 16)
            return String(repeating: "0", count: 16 - digits.count) + digits
        }
        let digits = Array((halves[0] + halves[1]).utf8)
        var text: [UInt8] = []
        text.reserveCapacity(36)
        for (place, digit) in digits.enumerated() {
            if [8, 12, 16, 20].contains(place) { text.append(UInt8(ascii: "-")) }
            text.append(digit)
        }
        return String(decoding: text, as: UTF8.self)
    }
}
