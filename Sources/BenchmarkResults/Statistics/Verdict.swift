internal import Foundation

/// Whether two figures differ, as far as their rounds show (docs/reference/benchmarks.md, "Noise").
public enum Verdict: Equatable, Sendable {
    /// One side has fewer than two rounds, so that its spread is not known.
    case unknown
    case noDifferenceShown
    /// The first figure is higher or lower than the second, by this factor of the medians.
    case higher(by: Double)
    case lower(by: Double)

    /// The smallest difference that is called one, as a part: within one run, and between two.
    public static let withinRun = 0.03
    public static let betweenRuns = 0.05

    /// Judges the rates of the rounds of two measurements.
    public init(_ first: [Double], _ second: [Double], smallest: Double) {
        guard first.count > 1, second.count > 1, (first + second).allSatisfy({ $0 >= 0 && $0.isFinite }),
            let high = median(first), let low = median(second)
        else {
            self = .unknown
            return
        }
        // Zeros have no logarithms. A side without any rate is lower than one that always has one.
        guard (first + second).allSatisfy({ $0 > 0 }) else {
            self =
                switch (first.allSatisfy { $0 == 0 }, second.allSatisfy { $0 == 0 }) {
                case (true, true): .noDifferenceShown
                case (true, false) where second.allSatisfy { $0 > 0 }: .lower(by: 0)
                case (false, true) where first.allSatisfy { $0 > 0 }: .higher(by: .infinity)
                default: .unknown
                }
            return
        }
        let factor = high / low
        guard abs(log(factor)) >= log(1 + smallest), WelchTest(first.map { log($0) }, second.map { log($0) }).differ
        else {
            self = .noDifferenceShown
            return
        }
        self = factor > 1 ? .higher(by: factor) : .lower(by: factor)
    }
}
