internal import Foundation
internal import Logging
internal import Settee
internal import SetteeEngine
internal import StorageProtocol

/// Everything that the process logs through swift-log, from the first use on.
package enum Captured {
    private static let lines = Locked<[String]>([])
    /// Called by handlers as well, one call at a time on each thread.
    private static let hook = Locked<(@Sendable () -> Void)?>(nil)
    /// Installed after each domain has logged: messages from before do not affect later ones.
    private static let installed: Void = {
        for domain in LogDomain.allCases { Log.log(.error, domain, "said before a handler was chosen") }
        LoggingSystem.bootstrap { Handler(label: $0) }
    }()

    /// What is logged while `body` runs, by other tests too.
    package static func during(_ body: () throws -> Void) throws -> [String] {
        _ = installed
        let before = lines.withLock { $0.count }
        try body()
        return lines.withLock { Array($0[before...]) }
    }

    /// The same for what runs in tasks.
    package static func duringTasks(_ body: () async throws -> Void) async throws -> [String] {
        _ = installed
        let before = lines.withLock { $0.count }
        try await body()
        return lines.withLock { Array($0[before...]) }
    }

    /// Runs `body` while `hook` is called for each line of the log.
    package static func during(_ body: () throws -> Void, each hook: @escaping @Sendable () -> Void) throws {
        Captured.hook.withLock { $0 = hook }
        defer { Captured.hook.withLock { $0 = nil } }
        _ = try during(body)
    }

    private struct Handler: LogHandler {
        let label: String
        var logLevel = Logger.Level.trace
        var metadata: Logger.Metadata = [:]

        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { metadata[key] }
            set { metadata[key] = newValue }
        }

        func log(event: LogEvent) {
            lines.withLock { $0.append("\(event.level) \(label): \(event.message)") }
            guard let hook = hook.withLock({ $0 }), Thread.current.threadDictionary["hook"] == nil else { return }
            Thread.current.threadDictionary["hook"] = true
            defer { Thread.current.threadDictionary["hook"] = nil }
            hook()
        }
    }
}
