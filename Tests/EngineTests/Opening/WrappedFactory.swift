import Foundation
import Settee
import StorageProtocol

/// Opens another factory's stores, with other capabilities perhaps, and tells what is asked of it.
final class WrappedFactory: StorageEngineFactory {
    private let base: any StorageEngineFactory
    private let state = Locked(State())
    let capabilities: StorageCapabilities
    /// Called in `open`, before the store is opened.
    private let whenOpening: @Sendable (_ directory: String) throws -> Void

    private struct State {
        var opened = 0
        var authorized = 0
        var compacted = 0
    }

    init(
        _ type: StorageType,
        change: (inout StorageCapabilities) -> Void = { _ in },
        whenOpening: @escaping @Sendable (_ directory: String) throws -> Void = { _ in }
    ) {
        base = Storage.factory(type)
        var capabilities = base.capabilities
        change(&capabilities)
        self.capabilities = capabilities
        self.whenOpening = whenOpening
    }

    var storageType: StorageType { base.storageType }
    var opened: Int { state.withLock { $0.opened } }
    var authorized: Int { state.withLock { $0.authorized } }
    var compacted: Int { state.withLock { $0.compacted } }

    func authorize(directory: String, options: StorageOptions) throws(StorageError) {
        state.withLock { $0.authorized += 1 }
        try base.authorize(directory: directory, options: options)
    }

    func pendingLog(directory: String) throws(StorageError) -> PendingLog {
        try base.pendingLog(directory: directory)
    }

    func open(directory: String, options: StorageOptions) throws(StorageError) -> any StorageEngine {
        state.withLock { $0.opened += 1 }
        do {
            try whenOpening(directory)
        } catch let error as StorageError {
            throw error
        } catch {
            throw StorageError(.unexpected, "\(error)")
        }
        return WrappedEngine(try base.open(directory: directory, options: options), self)
    }

    fileprivate func didCompact() { state.withLock { $0.compacted += 1 } }
}

private final class WrappedEngine: StorageEngine {
    let base: any StorageEngine
    let factory: WrappedFactory

    init(_ base: any StorageEngine, _ factory: WrappedFactory) {
        self.base = base
        self.factory = factory
    }

    var storageType: StorageType { base.storageType }
    var capabilities: StorageCapabilities { factory.capabilities }
    var compression: Compression { base.compression }
    var blobStore: (any BlobStore)? { base.blobStore }

    func beginRead() throws(StorageError) -> any ReadTransaction { try base.beginRead() }
    func beginWrite(patience: Duration?) throws(StorageError) -> any WriteTransaction {
        try base.beginWrite(patience: patience)
    }
    func raiseDurability() throws(StorageError) { try base.raiseDurability() }
    func checkpoint() throws(StorageError) { try base.checkpoint() }
    func copy(
        toDirectory directory: String,
        options: StorageCopyOptions,
        progress: (_ done: UInt64, _ of: UInt64) throws(StorageError) -> Void
    ) throws(StorageError) {
        try base.copy(toDirectory: directory, options: options, progress: progress)
    }
    func beginRewrite(
        toDirectory directory: String,
        options: StorageCopyOptions
    ) throws(StorageError) -> any StorageRewrite {
        try base.beginRewrite(toDirectory: directory, options: options)
    }
    func compact(
        progress: (_ done: UInt64, _ of: UInt64) throws(StorageError) -> Void
    ) throws(StorageError) {
        factory.didCompact()
        try progress(1, 1)
    }
    func verify(
        progress: (_ done: UInt64, _ of: UInt64) throws(StorageError) -> Void,
        _ report: (StorageProblem) -> Void
    ) throws(StorageError) {
        try base.verify(progress: progress, report)
    }
    func statistics() throws(StorageError) -> StorageStatistics { try base.statistics() }
    func close() { base.close() }
}
