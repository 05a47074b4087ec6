import Foundation
import Settee
import SetteeTestSupport
import StorageConformance
import StorageProtocol

/// Opens another factory's stores, optionally with other capabilities, and reports the calls that it gets.
final class WrappedFactory: ForwardingEngineFactory {
    let base: any StorageEngineFactory
    private let state = Locked(State())
    let storageType: StorageType
    let capabilities: StorageCapabilities
    /// Called in `open`, before the store is opened.
    private let whenOpening: @Sendable (_ directory: String) throws -> Void

    private struct State {
        var opened = 0
        var authorized = 0
        var compacted = 0
    }

    convenience init(
        _ type: StorageType,
        change: (inout StorageCapabilities) -> Void = { _ in },
        whenOpening: @escaping @Sendable (_ directory: String) throws -> Void = { _ in }
    ) {
        self.init(Storage.factory(type), change: change, whenOpening: whenOpening)
    }

    init(
        _ base: any StorageEngineFactory,
        as type: StorageType? = nil,
        change: (inout StorageCapabilities) -> Void = { _ in },
        whenOpening: @escaping @Sendable (_ directory: String) throws -> Void = { _ in }
    ) {
        self.base = base
        self.storageType = type ?? base.storageType
        var capabilities = base.capabilities
        change(&capabilities)
        self.capabilities = capabilities
        self.whenOpening = whenOpening
    }

    var opened: Int { state.withLock { $0.opened } }
    var authorized: Int { state.withLock { $0.authorized } }
    var compacted: Int { state.withLock { $0.compacted } }

    func authorize(directory: String, options: StorageOptions) throws(StorageError) {
        state.withLock { $0.authorized += 1 }
        try base.authorize(directory: directory, options: options)
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

private final class WrappedEngine: ForwardingEngine {
    let base: any StorageEngine
    let factory: WrappedFactory

    init(_ base: any StorageEngine, _ factory: WrappedFactory) {
        self.base = base
        self.factory = factory
    }

    var storageType: StorageType { factory.storageType }
    var capabilities: StorageCapabilities { factory.capabilities }

    func compact(progress: (_ done: UInt64, _ of: UInt64) throws(StorageError) -> Void) throws(StorageError) {
        factory.didCompact()
        try progress(1, 1)
    }
}
