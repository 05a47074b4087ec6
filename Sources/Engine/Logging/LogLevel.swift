internal import Logging

/// How serious a log message is; as a domain's setting, the least serious kind that is logged.
public enum LogLevel: String, CaseIterable, Sendable, Comparable {
    /// Every step.
    case trace
    /// What helps to find an error in a program.
    case debug
    /// What happens in the usual course.
    case info
    /// What happens seldom.
    case notice
    /// What is no error, and may lead to one.
    case warning
    /// A serious problem: something failed that nobody is told of otherwise, or data is damaged.
    case error
    /// Nothing can go on.
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
