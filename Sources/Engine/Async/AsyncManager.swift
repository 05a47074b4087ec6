internal import Dispatch
public import Foundation
public import StorageProtocol

/// The asynchronous forms of the calls of a manager: the same work, on other threads than the caller's. Errors are
/// those of the synchronous forms.
///
/// If the caller's task is cancelled, work that has not begun is not done, and the call throws `CancellationError` at
/// once. Work that has begun is finished, and the call returns its outcome.
public struct AsyncManager: Sendable {
    package let manager: Manager

    package func perform<R: Sendable>(_ body: @escaping @Sendable (Manager) throws -> R) async throws -> R {
        let manager = self.manager
        return try await AsyncDatabase.perform(on: AsyncDatabase.writers, until: .start) { try body(manager) }
    }

    /// Like `Manager.database(named:options:)`.
    public func database(named name: String, options: DatabaseOptions = DatabaseOptions()) async throws -> Database {
        try await perform { try $0.database(named: name, options: options) }
    }

    /// Like `Manager.existingDatabase(named:options:)`.
    public func existingDatabase(
        named name: String,
        options: DatabaseOptions = DatabaseOptions()
    ) async throws -> Database? {
        try await perform { try $0.existingDatabase(named: name, options: options) }
    }

    /// Like `Manager.allDatabaseNames`.
    public var allDatabaseNames: [String] { get async throws { try await perform { try $0.allDatabaseNames } } }

    /// Like `Manager.deleteDatabase(named:)`.
    public func deleteDatabase(named name: String) async throws {
        try await perform { try $0.deleteDatabase(named: name) }
    }

    /// Like `Manager.close`.
    public func close() async throws { try await perform { try $0.close() } }
}

extension Manager {
    /// The asynchronous forms of the calls of this manager.
    public var async: AsyncManager { AsyncManager(manager: self) }
}

extension Database {
    /// Like `open(at:options:engines:modules:)`, off the caller's thread. In a task that was cancelled before the work
    /// began, it does nothing and throws `CancellationError`.
    public static func openAsync(
        at url: URL,
        options: DatabaseOptions = DatabaseOptions(),
        engines: [any StorageEngineFactory],
        modules: [DatabaseModule] = []
    ) async throws -> Database {
        try await AsyncDatabase.perform(on: AsyncDatabase.writers, until: .start) {
            try open(at: url, options: options, engines: engines, modules: modules)
        }
    }
}

extension AsyncDatabase {
    /// Like `Database.close`.
    public func close() async throws { try await perform(on: AsyncDatabase.writers, until: .start) { try $0.close() } }

    /// Like `Database.delete`.
    public func delete() async throws {
        try await perform(on: AsyncDatabase.writers, until: .start) { try $0.delete() }
    }
}
