internal import NIOCore
internal import StorageConformance
internal import Testing

@testable internal import SetteeListener

struct BodyClockTests {
    private func time(_ seconds: Double) -> NIODeadline { .uptimeNanoseconds(UInt64(seconds * 1e9)) }

    @Test func nothingIsDueWhileTheClockStands() {
        var clock = BodyClock(rate: 1_000, grace: .seconds(10))
        #expect(clock.deadline == nil)
        clock.run(at: time(5))
        #expect(clock.deadline == time(15))
        clock.stand(at: time(7))
        #expect(clock.deadline == nil)
        // Two of the ten seconds are gone.
        clock.run(at: time(100))
        clock.run(at: time(103))
        #expect(clock.deadline == time(108))
    }

    @Test func bytesBuyTime() {
        var clock = BodyClock(rate: 1_000, grace: .seconds(10))
        clock.run(at: time(0))
        clock.add(bytes: 2_500)
        #expect(clock.deadline == time(12.5))
        clock.add(bytes: .max / 2)
        #expect(
            clock.deadline == time(86_410) + .nanoseconds(Int64(Double((2_500 + Int.max / 2) % 1_000) / 1_000 * 1e9))
        )
    }

    @Test func whoKeepsTheRateIsNeverLate() {
        var generator = SeededGenerator(seed: 5)
        var clock = BodyClock(rate: 1_024, grace: .seconds(1))
        var now = 0.0
        for _ in 0..<1_000 {
            clock.run(at: time(now))
            let pause = Double.random(in: 0..<0.9, using: &generator)
            now += pause
            #expect((clock.deadline ?? .distantFuture) > time(now), "seed 5")
            clock.add(bytes: Int(pause * 1_024) + 1)
            if Bool.random(using: &generator) {
                clock.stand(at: time(now))
                now += Double.random(in: 0..<100, using: &generator)
            }
        }
    }

    @Test func aRateOfNothingIsTaken() {
        var clock = BodyClock(rate: 0, grace: .seconds(1))
        clock.run(at: time(0))
        clock.add(bytes: 2)
        #expect(clock.deadline == time(3))
    }
}
