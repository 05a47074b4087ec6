internal import ArgumentParser

/// `DOMAIN` or `DOMAIN=LEVEL`.
struct LogSetting: ExpressibleByArgument {
    enum Level: String, CaseIterable {
        case trace, debug, info, notice, warning, error, critical
    }

    let domain: String
    let level: Level

    init?(argument: String) {
        let parts = argument.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        guard let name = parts.first, !name.isEmpty, name.allSatisfy({ $0.isASCII && ($0.isLetter || $0 == ".") })
        else {
            return nil
        }
        domain = String(name)
        guard parts.count == 2 else {
            level = .debug
            return
        }
        guard let known = Level(rawValue: parts[1].lowercased()) else { return nil }
        level = known
    }
}
