internal import Logging
internal import NIOCore

/// What all connections of a server share.
struct ConnectionSettings: Sendable {
    let headBytes: Int
    let targetBytes: Int
    let drainedBytes: Int
    let bodyRate: Int
    let headTime: TimeAmount
    let bodyGrace: TimeAmount
    let stalledTime: TimeAmount
    let idleTime: TimeAmount
    let lingerTime: TimeAmount
    let isSecure: Bool
    /// Whether clients' certificates are verified, and so told to handlers.
    let verifiesClients: Bool
    let figures: ServerFigures
    let stopSignal: StopSignal
    let date = AnswerDate()
    let logger: Logger

    init(_ configuration: ServerConfiguration, figures: ServerFigures, stopSignal: StopSignal, logger: Logger) {
        let limits = configuration.limits
        headBytes = max(1, limits.headBytes)
        targetBytes = max(1, limits.targetBytes)
        drainedBytes = max(1, limits.drainedBytes)
        bodyRate = limits.bodyRate
        headTime = TimeAmount(atLeastOne: limits.headTime)
        bodyGrace = TimeAmount(atLeastOne: limits.bodyGrace)
        stalledTime = TimeAmount(atLeastOne: limits.stalledTime)
        idleTime = TimeAmount(atLeastOne: limits.idleTime)
        lingerTime = TimeAmount(atLeastOne: limits.lingerTime)
        isSecure = configuration.tls != nil
        verifiesClients = configuration.tls?.clientAuthority != nil
        self.figures = figures
        self.stopSignal = stopSignal
        self.logger = logger
    }
}

extension TimeAmount {
    /// From a millisecond to a year.
    fileprivate init(atLeastOne duration: Duration) {
        self.init(min(max(duration, .milliseconds(1)), .seconds(365 * 86_400)))
    }
}
