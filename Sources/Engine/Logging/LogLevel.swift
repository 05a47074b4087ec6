internal import Logging

/// The level of a log message; as the setting of a domain, the lowest level that is logged.
public enum LogLevel: String, CaseIterable, Sendable, Comparable {
    /// Every step.
    case trace
    /// Details that help to find an error in a program.
    case debug
    /// Usual events.
    case info
    /// Rare events.
    case notice
    /// Not an error, but may lead to one.
    case warning
    /// A serious problem: a failure that is not reported in another way, or damaged data.
    case error
    /// Nothing can continue.
    case critical
    /// As a setting: nothing is logged.
    case off

    public static func < (a: LogLevel, b: LogLevel) -> Bool { a.rank < b.rank }

    /// 0 for `trace` to 7 for `off`.
    var rank: UInt64 {
        switch self {
        case .trace: 0
        case .debug: 1
        case .info: 2
        case .notice: 3
        case .warning: 4
        case .error: 5
        case .critical: 6
        case .off: 7
        }
    }

    /// The level of swift-log, nil for `off`.
    var level: Logger.Level? { Logger.Level(rawValue: rawValue) }
}
