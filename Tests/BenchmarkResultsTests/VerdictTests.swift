import Foundation
import SetteeBenchmarkResults
import StorageConformance
import Testing

@Suite("Whether two figures differ")
struct VerdictTests {
    @Test("The median is the middle, or the mean of the two in the middle")
    func medians() {
        #expect(median([]) == nil)
        #expect(median([7]) == 7)
        #expect(median([9, 1, 5]) == 5)
        #expect(median([4, 1, 9, 2]) == 3)
    }

    /// Student's distribution with 4 degrees of freedom has its quantile 0.995 at 4.604, with 8 at 3.355 (any table of
    /// it): equal variances and sizes n give 2n - 2 of them.
    @Test(
        "Means differ from p = 0.01 on, and not before",
        arguments: [(rounds: 3, quantile: 4.604), (rounds: 5, quantile: 3.355)]
    )
    func quantiles(rounds: Int, quantile: Double) {
        let deviations = (0..<rounds).map { 0.01 * (Double($0) - Double(rounds - 1) / 2) }
        let variance = deviations.reduce(0) { $0 + $1 * $1 } / Double(rounds - 1)
        let error = (2 * variance / Double(rounds)).squareRoot()
        func verdict(t: Double) -> Verdict {
            Verdict(deviations.map { exp($0 + t * error) }, deviations.map { exp($0) }, smallest: 0)
        }
        #expect(verdict(t: quantile - 0.002) == .noDifferenceShown)
        #expect(verdict(t: quantile + 0.002) == .higher(by: exp((quantile + 0.002) * error)))
        #expect(verdict(t: -quantile + 0.002) == .noDifferenceShown)
        guard case .lower(let factor) = verdict(t: -quantile - 0.002) else {
            Issue.record("not lower")
            return
        }
        #expect(abs(factor - exp(-(quantile + 0.002) * error)) < 1e-9)
    }

    /// Two examples of https://en.wikipedia.org/wiki/Welch%27s_t-test, which have p = 0.149 and 0.036: unequal
    /// variances and sizes, and not significant at 0.01. Student's test takes the last one's degrees of freedom as 28.
    @Test("Published examples with p above 0.01 show no difference")
    func examples() {
        let samples: [([Double], [Double])] = [
            (
                [17.2, 20.9, 22.6, 18.1, 21.7, 21.4, 23.5, 24.2, 14.7, 21.8],
                [
                    21.5, 22.8, 21.0, 23.0, 21.6, 23.6, 22.5, 20.7, 23.4, 21.8, 20.7, 21.7, 21.5, 22.5, 23.6, 21.5,
                    22.5,
                    23.5, 21.5, 21.8,
                ]
            ),
            (
                [19.8, 20.4, 19.6, 17.8, 18.5, 18.9, 18.3, 18.9, 19.5, 22.0],
                [
                    28.2, 26.6, 20.1, 23.3, 25.2, 22.1, 17.7, 27.6, 20.6, 13.7, 23.2, 17.5, 20.6, 18.0, 23.9, 21.6,
                    24.3,
                    20.4, 24.0, 13.2,
                ]
            ),
        ]
        for (first, second) in samples {
            let (one, other) = (first.map { exp($0 / 10) }, second.map { exp($0 / 10) })
            #expect(Verdict(one, other, smallest: 0) == .noDifferenceShown)
            // Moved apart by three of their standard deviations, which gives p < 0.001.
            #expect(Verdict(one.map { $0 / 3 }, other, smallest: 0) != .noDifferenceShown)
        }
    }

    @Test("One round gives no verdict, nor does a rate that is not above 0")
    func unknown() {
        #expect(Verdict([1], [1000, 1001, 1002], smallest: 0.03) == .unknown)
        #expect(Verdict([1000, 1001], [1], smallest: 0.03) == .unknown)
        #expect(Verdict([], [], smallest: 0.03) == .unknown)
        #expect(Verdict([0, 1], [1, 2], smallest: 0.03) == .unknown)
        #expect(Verdict([.infinity, 1], [1, 2], smallest: 0.03) == .unknown)
    }

    @Test("What is surely different but by less than the smallest difference is none")
    func small() {
        let first = [1000.0, 1000.1, 999.9]
        #expect(Verdict(first.map { $0 * 1.029 }, first, smallest: Verdict.withinRun) == .noDifferenceShown)
        #expect(Verdict(first.map { $0 * 1.031 }, first, smallest: Verdict.withinRun) != .noDifferenceShown)
        #expect(Verdict(first, first.map { $0 * 1.049 }, smallest: Verdict.betweenRuns) == .noDifferenceShown)
        #expect(Verdict(first, first.map { $0 * 1.051 }, smallest: Verdict.betweenRuns) != .noDifferenceShown)
        #expect(Verdict([5, 5], [5, 5], smallest: 0) == .noDifferenceShown)
    }

    @Test("Noise alone is called a difference in less than 2 of 100 cases", arguments: [3, 5], [0.02, 0.1, 0.4])
    func falsePositives(rounds: Int, deviation: Double) {
        var generator = SeededGenerator(seed: UInt64(rounds) * 1000 + UInt64(deviation * 100))
        func sample() -> [Double] {
            (0..<rounds).map { _ in
                let (first, second) = (
                    Double.random(in: 1e-9..<1, using: &generator), Double.random(in: 0..<1, using: &generator)
                )
                return 1000 * exp(deviation * (-2 * log(first)).squareRoot() * cos(2 * .pi * second))
            }
        }
        let cases = 4000
        let differ = (0..<cases).count { _ in Verdict(sample(), sample(), smallest: 0.03) != .noDifferenceShown }
        #expect(Double(differ) / Double(cases) < 0.02, "seed \(generator.seed)")
    }

    @Test("A doubled rate is recognised in nearly all cases, so that the rarity of errors is not silence")
    func power() {
        var generator = SeededGenerator(seed: 7)
        let recognised = (0..<1000).count { _ in
            let first = (0..<5).map { _ in 1000 * Double.random(in: 0.9...1.1, using: &generator) }
            let second = (0..<5).map { _ in 2000 * Double.random(in: 0.9...1.1, using: &generator) }
            if case .higher = Verdict(second, first, smallest: 0.03) { return true } else { return false }
        }
        #expect(recognised > 990)
    }

    @Test("No rate at all is lower than one")
    func zeros() {
        #expect(Verdict([0, 0, 0], [100, 101, 102], smallest: 0.05) == .lower(by: 0))
        #expect(Verdict([100, 101, 102], [0, 0, 0], smallest: 0.05) == .higher(by: .infinity))
        #expect(Verdict([0, 0], [0, 0], smallest: 0.05) == .noDifferenceShown)
        #expect(Verdict([0, 100, 100], [100, 101, 102], smallest: 0.05) == .unknown)
    }
}
