package import SetteeEngine
package import StorageProtocol
internal import Synchronization

/// What this process keeps in memory about the indexes of a database as long as it is open.
package final class IndexRegistry: DatabaseCompanion {
    private struct Known {
        var overlay: IndexOverlay?
        var faults = EmitFaults()
    }

    package init(of database: Database) {}

    package func databaseWillClose() {}

    private let known = Locked<[IndexName: Known]>([:])
    /// What the write transaction in progress shows; nil while it is being changed.
    private let uncommitted = Locked<[IndexName: IndexOverlay?]>([:])
    /// Allows one update of an index at a time. The others wait.
    private let updating = Locked<[IndexName: UpdateTurn]>([:])

    /// Forgets what was found with a mapper that another one has replaced.
    package func forget(_ name: IndexName) {
        known.withLock { $0[name] = nil }
        uncommitted.withLock { $0[name] = nil }
    }

    // MARK: - What a snapshot was found to hold beyond an index

    package func overlay(_ name: IndexName) -> IndexOverlay? { known.withLock { $0[name]?.overlay } }
    func keep(_ overlay: IndexOverlay, for name: IndexName) {
        known.withLock { $0[name, default: Known()].overlay = overlay }
    }

    /// Frees the overlays of indexes that were brought up to date.
    func dropOverlays(of names: [IndexName]) {
        known.withLock { known in
            for name in names { known[name]?.overlay = nil }
        }
    }

    /// Removes the overlay of the write transaction in progress, whose only holder can then change it in place.
    func takeUncommittedOverlay(_ name: IndexName) -> IndexOverlay? {
        uncommitted.withLock { $0[name]?.take() } ?? nil
    }
    /// Keeps an overlay until the write transaction ends, since what it shows may be rolled back.
    func keep(_ overlay: IndexOverlay, for name: IndexName, in session: WriteSession) {
        let isFirst = uncommitted.withLock { uncommitted in
            defer { uncommitted[name] = .some(overlay) }
            return uncommitted.isEmpty
        }
        if isFirst { session.whenEnded { [self] _ in uncommitted.withLock { $0 = [:] } } }
    }

    // MARK: - Faults

    package func faults(_ name: IndexName) -> EmitFaults { known.withLock { $0[name]?.faults ?? EmitFaults() } }
    func add(_ faults: EmitFaults, to name: IndexName) {
        known.withLock { $0[name, default: Known()].faults.add(faults) }
    }

    // MARK: - Turns

    /// The lock of an index's updates.
    package func turn(_ name: IndexName) -> UpdateTurn {
        updating.withLock { turns in
            if let turn = turns[name] { return turn }
            let turn = UpdateTurn()
            turns[name] = turn
            return turn
        }
    }
}

/// A lock that is held while an index is updated.
package final class UpdateTurn: Sendable {
    private let lock = Locked<Void>(())
    private let isHeld = Atomic(false)

    /// Whether a thread holds it now.
    package var isTaken: Bool { isHeld.load(ordering: .relaxed) }

    package func perform(_ body: () throws(StorageError) -> Void) throws(StorageError) {
        var failure: StorageError?
        lock.withLock { _ in
            isHeld.store(true, ordering: .relaxed)
            defer { isHeld.store(false, ordering: .relaxed) }
            do throws(StorageError) { try body() } catch { failure = error }
        }
        if let failure { throw failure }
    }
}

extension Database {
    package var indexRegistry: IndexRegistry { sharedCompanion(IndexRegistry.self) }
}
