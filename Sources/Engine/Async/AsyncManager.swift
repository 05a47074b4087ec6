internal import Dispatch
public import Foundation
public import StorageProtocol

/// The asynchronous forms of a manager's calls: the same work on threads of its own, off the caller's. Errors are those
/// of the synchronous forms.
///
/// Where the caller's task is cancelled, what has not begun does nothing, and the call throws `CancellationError` at
/// once. What has begun goes on to its end, and the call tells how it ended.
public struct AsyncManager: Sendable {
    package let manager: Manager

    private func perform<R: Sendable>(_ body: @escaping @Sendable (Manager) throws -> R) async throws -> R {
        let manager = self.manager
        return try await AsyncDatabase.perform(on: AsyncDatabase.writers, until: .start) { try body(manager) }
    }

    /// As `Manager.database(named:options:)`.
    public func database(named name: String, options: DatabaseOptions = DatabaseOptions()) async throws -> Database {
        try await perform { try $0.database(named: name, options: options) }
    }

    /// As `Manager.existingDatabase(named:options:)`.
    public func existingDatabase(
        named name: String,
        options: DatabaseOptions = DatabaseOptions()
    ) async throws -> Database? {
        try await perform { try $0.existingDatabase(named: name, options: options) }
    }

    /// As `Manager.allDatabaseNames`.
    public var allDatabaseNames: [String] { get async throws { try await perform { try $0.allDatabaseNames } } }

    /// As `Manager.deleteDatabase(named:)`.
    public func deleteDatabase(named name: String) async throws {
        try await perform { try $0.deleteDatabase(named: name) }
    }

    /// As `Manager.replaceDatabase(named:from:)`. Cancelling the task while the source is read ends it with
    /// `CancellationError`; the old database is left as it was then.
    public func replaceDatabase(
        named name: String,
        from url: URL,
        key: StorageKey? = nil,
        decrypt: Bool = false
    ) async throws {
        try await perform { try $0.replaceDatabase(named: name, from: url, key: key, decrypt: decrypt) }
    }

    /// As `Manager.close`.
    public func close() async throws { try await perform { try $0.close() } }
}

extension Manager {
    /// The asynchronous forms of this manager's calls.
    public var async: AsyncManager { AsyncManager(manager: self) }
}

extension Database {
    /// As `open(at:options:engines:)`, off the caller's thread. In a task that was cancelled before it began it does
    /// nothing and throws `CancellationError`.
    public static func openAsync(
        at url: URL,
        options: DatabaseOptions = DatabaseOptions(),
        engines: [any StorageEngineFactory]
    ) async throws -> Database {
        try await AsyncDatabase.perform(on: AsyncDatabase.writers, until: .start) {
            try open(at: url, options: options, engines: engines)
        }
    }
}

extension AsyncDatabase {
    /// As `Database.close`.
    public func close() async throws { try await perform(on: AsyncDatabase.writers, until: .start) { try $0.close() } }

    /// As `Database.delete`.
    public func delete() async throws {
        try await perform(on: AsyncDatabase.writers, until: .start) { try $0.delete() }
    }
}
