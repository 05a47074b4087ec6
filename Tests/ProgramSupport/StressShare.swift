import Foundation

/// In the long form of suites that take hours, which of several equal shares is run. `Scripts/stress.sh` runs them as
/// parts: `SETTEE_SHARE=1/4` to `4/4`.
package enum StressShare {
    /// The place of this share, from 0, and how many there are: 0 and 1 if all is run at once.
    package static let current: (number: Int, count: Int) = {
        let variables = ProcessInfo.processInfo.environment
        let numbers = variables["SETTEE_SHARE"]?.split(separator: "/").compactMap { Int($0) }
        guard variables["SETTEE_STRESS"] != nil, let numbers, numbers.count == 2, numbers[0] > 0,
            numbers[0] <= numbers[1]
        else { return (0, 1) }
        return (numbers[0] - 1, numbers[1])
    }()
}
