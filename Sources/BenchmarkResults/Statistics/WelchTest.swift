internal import Foundation

/// Welch's test: whether two samples of unequal variance have means that differ, at p < 0.01, two-sided.
struct WelchTest {
    /// Whether the difference is significant.
    let differ: Bool

    /// The quantiles 0.995 of Student's distribution for 1, 2, ... degrees of freedom.
    private static let quantiles = [
        63.657, 9.925, 5.841, 4.604, 4.032, 3.707, 3.499, 3.355, 3.250, 3.169, 3.106, 3.055, 3.012, 2.977, 2.947, 2.921,
        2.898, 2.878, 2.861, 2.845, 2.831, 2.819, 2.807, 2.797, 2.787, 2.779, 2.771, 2.763, 2.756, 2.750,
    ]

    /// - Parameters: two samples of at least two values each.
    init(_ first: [Double], _ second: [Double]) {
        let (one, other) = (WelchTest.moments(first), WelchTest.moments(second))
        let error = one.variance / Double(first.count) + other.variance / Double(second.count)
        let difference = abs(one.mean - other.mean)
        guard error > 0 else {
            differ = difference > 0
            return
        }
        // The degrees of freedom by Welch and Satterthwaite, rounded down, which makes the test stricter.
        let freedom =
            error * error
            / (WelchTest.part(one.variance, first.count) + WelchTest.part(other.variance, second.count))
        let index = min(max(Int(freedom), 1), WelchTest.quantiles.count) - 1
        differ = difference / error.squareRoot() > WelchTest.quantiles[index]
    }

    private static func part(_ variance: Double, _ count: Int) -> Double {
        let error = variance / Double(count)
        return error * error / Double(count - 1)
    }

    private static func moments(_ sample: [Double]) -> (mean: Double, variance: Double) {
        let mean = sample.reduce(0, +) / Double(sample.count)
        let squares = sample.reduce(0) { $0 + ($1 - mean) * ($1 - mean) }
        return (mean, squares / Double(sample.count - 1))
    }
}
