internal import CoreMetrics
internal import StorageProtocol

/// A figure of `KeptMetrics`.
final class KeptFigure: CounterHandler, MeterHandler, RecorderHandler, TimerHandler {
    enum Kind {
        case counter
        case gauge
        case summary
        /// A summary, recorded in nanoseconds and told in seconds.
        case timer

        /// What Prometheus calls it.
        var type: String {
            switch self {
            case .counter: "counter"
            case .gauge: "gauge"
            case .summary, .timer: "summary"
            }
        }

        /// What the format's names end in.
        var suffix: String {
            switch self {
            case .counter: "_total"
            case .gauge, .summary: ""
            case .timer: "_seconds"
            }
        }
    }

    private let state = Locked((sum: 0.0, count: UInt64(0)))

    /// The value, or the sum of what was recorded, and how often.
    var values: (sum: Double, count: UInt64) { state.withLock { $0 } }

    private func add(_ value: Double) {
        state.withLock {
            $0.sum += value
            $0.count += 1
        }
    }

    func increment(by amount: Int64) { add(Double(amount)) }
    func increment(by amount: Double) { add(amount) }
    func decrement(by amount: Double) { add(-amount) }
    func record(_ value: Int64) { add(Double(value)) }
    func record(_ value: Double) { add(value) }
    func recordNanoseconds(_ duration: Int64) { add(Double(duration)) }
    func set(_ value: Int64) { set(Double(value)) }
    func set(_ value: Double) { state.withLock { $0 = (value, 1) } }
    func reset() { state.withLock { $0 = (0, 0) } }
}
