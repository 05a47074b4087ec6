internal import ArgumentParser
internal import Settee

/// `DOMAIN` or `DOMAIN=LEVEL`; the domain `all` means every domain.
struct LogSetting: ExpressibleByArgument {
    /// Nil: all.
    let domain: LogDomain?
    let level: LogLevel

    init?(argument: String) {
        let parts = argument.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        guard let name = parts.first?.lowercased() else { return nil }
        domain = LogDomain.allCases.first { $0.rawValue.lowercased() == name }
        guard domain != nil || name == "all" else { return nil }
        guard parts.count == 2 else {
            level = .debug
            return
        }
        guard let known = LogLevel(rawValue: parts[1].lowercased()) else { return nil }
        level = known
    }

    /// The allowed values, for help and error messages.
    static let allowed = """
        domains: \((["all"] + LogDomain.allCases.map(\.rawValue)).joined(separator: ", ")); \
        levels: \(LogLevel.allCases.map(\.rawValue).joined(separator: ", "))
        """

    static func parse(_ argument: String) throws -> LogSetting {
        guard let setting = LogSetting(argument: argument) else {
            throw ValidationError("'\(argument)' is no DOMAIN or DOMAIN=LEVEL. Known \(allowed).")
        }
        return setting
    }

    /// Sets up the library's log to standard error. Each setting overrides those before it.
    static func apply(_ settings: [LogSetting], asJSON: Bool) {
        LogWriter.install(asJSON: asJSON)
        for setting in settings {
            if let domain = setting.domain {
                Log.setLevel(setting.level, for: domain)
            } else {
                Log.setLevel(setting.level)
            }
        }
    }
}
