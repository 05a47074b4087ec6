package import Dispatch
public import Foundation
public import SetteeDocumentValues
public import StorageProtocol

/// The asynchronous forms of the calls of a database: the same work, on other threads than the caller's.
///
/// They are not part of the caller's transaction. A transaction body passed to them is synchronous. Errors are those of
/// the synchronous forms.
///
/// If the caller's task is cancelled, a read that has not begun, and a write whose transaction has not begun, do
/// nothing, and the call throws `CancellationError` at once. Work that has begun is finished, and the call returns its
/// outcome.
public struct AsyncDatabase: Sendable {
    package let database: Database

    package static let readers = DispatchQueue(label: "settee.readers", attributes: .concurrent)
    package static let writers = DispatchQueue(label: "settee.writers", attributes: .concurrent)

    /// Runs `body` on a thread for readers, for reads that have no asynchronous form.
    ///
    /// - Throws: what `body` throws.
    public func run<R: Sendable>(_ body: @escaping @Sendable (Database) throws -> R) async throws -> R {
        try await perform(on: AsyncDatabase.readers, until: .start, body)
    }

    /// - Parameter end: until when a cancelled task leaves the work alone.
    package func perform<R: Sendable>(
        on queue: DispatchQueue,
        until end: TaskGate.End = .writing,
        _ body: @escaping @Sendable (Database) throws -> R
    ) async throws -> R {
        let database = self.database
        return try await AsyncDatabase.perform(on: queue, until: end) { try body(database) }
    }

    /// The same for work that belongs to no open database.
    package static func perform<R: Sendable>(
        on queue: DispatchQueue,
        until end: TaskGate.End,
        _ body: @escaping @Sendable () throws -> R
    ) async throws -> R {
        let work = TaskWork<R>(until: end)
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                guard work.wait(continuation) else { return }
                queue.async { work.run(body) }
            }
        } onCancel: {
            work.cancel()
        }
    }

    /// Ends long work whose task was cancelled.
    ///
    /// - Throws: `cancelled` (596), which the task gets as `CancellationError`.
    package static func requireTask() throws(StorageError) { try ThreadContext.current.gate?.check() }

    /// Like `Database.inTransaction`; `body` gets the database.
    @discardableResult
    public func inTransaction<R: Sendable>(_ body: @escaping @Sendable (Database) throws -> R) async throws -> R {
        try await perform(on: AsyncDatabase.writers) { database in try database.inTransaction { try body(database) } }
    }

    /// Like `Database.read`.
    public func read<R: Sendable>(_ body: @escaping @Sendable (Snapshot) throws -> R) async throws -> R {
        try await run { database in try database.read { try body($0) } }
    }

    /// Returns the current revision of `id`, which may be a tombstone; nil if there is none.
    public func revision(of id: some DocumentIDConvertible) async throws -> SavedRevision? {
        try await run { try $0[id.documentIDText].revision() }
    }

    /// Like `Document.put`.
    @discardableResult
    public func put(
        _ id: some DocumentIDConvertible,
        _ properties: JSONObject,
        parent: RevisionID? = nil
    ) async throws -> SavedRevision {
        try await perform(on: AsyncDatabase.writers) { try $0[id.documentIDText].put(properties, parent: parent) }
    }

    /// Like `Document.update(_:)`: nil if `change` threw `UpdateCancelled` and nothing was saved.
    @discardableResult
    public func update(
        _ id: some DocumentIDConvertible,
        _ change: @escaping @Sendable (inout JSONObject) throws -> Void
    ) async throws -> SavedRevision? {
        try await perform(on: AsyncDatabase.writers) { try $0[id.documentIDText].update(change) }
    }

    /// Like `Document.delete`.
    @discardableResult
    public func delete(_ id: some DocumentIDConvertible, parent: RevisionID? = nil) async throws -> SavedRevision {
        try await perform(on: AsyncDatabase.writers) { try $0[id.documentIDText].delete(parent: parent) }
    }

    /// Like `Document.purge`.
    @discardableResult
    public func purge(_ id: some DocumentIDConvertible) async throws -> Bool {
        try await perform(on: AsyncDatabase.writers) { try $0[id.documentIDText].purge() }
    }

    /// Like `Database.documentCount`.
    public var documentCount: UInt64 { get async throws { try await run { try $0.documentCount } } }

    /// Like `Database.lastSequence`.
    public var lastSequence: UInt64 { get async throws { try await run { try $0.lastSequence } } }

    /// Like `Database.compact`.
    @discardableResult
    public func compact() async throws -> CompactionResult {
        try await perform(on: AsyncDatabase.writers, until: .start) { try $0.compact() }
    }

    /// Like `Document.setExpiration`.
    public func setExpiration(of id: some DocumentIDConvertible, _ date: Date?) async throws {
        try await perform(on: AsyncDatabase.writers) { try $0[id.documentIDText].setExpiration(date) }
    }

    /// Like `Database.purgeExpiredDocuments`.
    @discardableResult
    public func purgeExpiredDocuments() async throws -> Int {
        try await perform(on: AsyncDatabase.writers) { try $0.purgeExpiredDocuments() }
    }

    /// Like `Database.spaceReport`.
    public func spaceReport() async throws -> SpaceReport { try await run { try $0.spaceReport() } }

    /// Like `Database.check`.
    public func check() async throws -> [StorageProblem] { try await run { try $0.check() } }
}

extension Database {
    /// The asynchronous forms of the calls of this database.
    public var async: AsyncDatabase { AsyncDatabase(database: self) }
}
