internal import StorageProtocol

/// The turn of a test that sets levels of the log: they belong to the process. It ends when this is released.
package final class LogTurn: Sendable {
    private static let isTaken = Locked(false)

    private init() {}

    package static func take() async throws -> LogTurn {
        while true {
            let isFree = isTaken.withLock { isTaken in
                defer { isTaken = true }
                return !isTaken
            }
            if isFree { return LogTurn() }
            try await Task.sleep(for: .milliseconds(10))
        }
    }

    deinit { LogTurn.isTaken.withLock { $0 = false } }
}
