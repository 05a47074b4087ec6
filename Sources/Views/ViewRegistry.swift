internal import SetteeEngine
internal import StorageProtocol
internal import Synchronization

/// The map functions that this process has set, and what it caches for its views as long as the database is open.
final class ViewRegistry: DatabaseCompanion {
    private struct View {
        var function: ViewFunction?
        /// Functions that are about to replace it, each with the number of its `prepare` call; the last call is last.
        var pending: [(number: UInt64, function: ViewFunction?)] = []
        var overlay: IndexOverlay?
        var faults = EmitFaults()
    }

    init(of database: Database) { database.join(.views) }

    func databaseWillClose() {}

    private let views = Locked<[ViewName: View]>([:])
    private let numbers = Atomic<UInt64>(0)
    /// The function parsed last from each stored definition, with the text it was parsed from.
    private let stored = Locked<[ViewName: (text: [UInt8], function: ViewFunction)]>([:])
    private let summaryMarks = Locked<[String: SummaryMark]>([:])
    /// Allows one update of a view's index at a time. The others wait.
    private let updating = Locked<[ViewName: UpdateTurn]>([:])

    /// Returns this program's map function for a view in one state of the database. While a function is being replaced,
    /// the record in that state decides which one it is.
    ///
    /// - Parameter record: the view's record in that state.
    func function(
        _ name: ViewName,
        matching record: () throws(StorageError) -> ViewRecord?
    ) throws(StorageError) -> ViewFunction? {
        let (function, pending) = views.withLock { views in
            (views[name]?.function, views[name]?.pending.map(\.function) ?? [])
        }
        guard let last = pending.last else { return function }
        let present = try record()
        let candidates = pending.reversed() + [function]
        return candidates.first { candidate in
            candidate?.version == present?.version && candidate?.reduce?.identity == present?.reduce
        } ?? last
    }

    /// Returns the map function that this program has set last, even if its record is not committed yet.
    func lastSet(_ name: ViewName) -> ViewFunction? {
        views.withLock { views in
            guard let view = views[name] else { return nil }
            return view.pending.isEmpty ? view.function : view.pending.last?.function
        }
    }

    /// Notes that a function, or none, is about to replace the current one. `settle` must follow.
    func prepare(_ function: ViewFunction?, for name: ViewName) -> UInt64 {
        let number = numbers.add(1, ordering: .relaxed).newValue
        views.withLock { $0[name, default: View()].pending.append((number, function)) }
        return number
    }

    /// Ends what `prepare` began.
    ///
    /// - Parameter isTaken: whether the function is current now, because its record was committed.
    func settle(_ number: UInt64, for name: ViewName, isTaken: Bool) {
        views.withLock { views in
            guard let place = views[name]?.pending.firstIndex(where: { $0.number == number }) else { return }
            let function = views[name]?.pending.remove(at: place).function
            guard isTaken else { return }
            views[name]?.function = function
            views[name]?.overlay = nil
            views[name]?.faults = EmitFaults()
        }
    }

    func set(_ function: ViewFunction?, for name: ViewName) {
        views.withLock { views in
            views[name, default: View()].function = function
            views[name]?.overlay = nil
            views[name]?.faults = EmitFaults()
        }
    }

    var names: [ViewName] { views.withLock { views in views.filter { $0.value.function != nil }.map(\.key) } }

    /// Returns the function of a stored definition; nil if no text, or another one, was parsed last.
    func storedFunction(_ name: ViewName, of text: [UInt8]) -> ViewFunction? {
        stored.withLock { stored in stored[name].flatMap { $0.text == text ? $0.function : nil } }
    }
    func keepStored(_ function: ViewFunction, of text: [UInt8], for name: ViewName) {
        stored.withLock { $0[name] = (text, function) }
    }

    // MARK: - What a snapshot was found to hold beyond an index

    func overlay(_ name: ViewName) -> IndexOverlay? { views.withLock { $0[name]?.overlay } }
    func keep(_ overlay: IndexOverlay, for name: ViewName) {
        views.withLock { $0[name, default: View()].overlay = overlay }
    }

    // MARK: - Faults

    func faults(_ name: ViewName) -> EmitFaults { views.withLock { $0[name]?.faults ?? EmitFaults() } }
    func add(_ faults: EmitFaults, to name: ViewName) {
        views.withLock { $0[name, default: View()].faults.add(faults) }
    }

    // MARK: - Parts of reductions

    /// What all stored parts of reductions in an index were made from; nil: unknown.
    func summaryMark(_ index: String) -> SummaryMark? { summaryMarks.withLock { $0[index] } }
    func setSummaryMark(_ mark: SummaryMark?, for index: String) { summaryMarks.withLock { $0[index] = mark } }

    // MARK: - Turns

    /// The lock of a view's updates.
    func turn(_ name: ViewName) -> UpdateTurn {
        updating.withLock { turns in
            if let turn = turns[name] { return turn }
            let turn = UpdateTurn()
            turns[name] = turn
            return turn
        }
    }
}

/// The state of an index whose stored parts are all there: the reduce function, and when its rows last changed.
struct SummaryMark: Sendable, Equatable {
    /// The identity of the reduce function.
    var reduce: String
    /// The sequence at which a row last changed.
    var changed: UInt64
}

/// A lock that is held while a view's index is updated.
final class UpdateTurn: Sendable {
    private let lock = Locked<Void>(())
    private let isHeld = Atomic(false)

    /// Whether a thread holds it now.
    var isTaken: Bool { isHeld.load(ordering: .relaxed) }

    func perform(_ body: () throws(StorageError) -> Void) throws(StorageError) {
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
    var viewRegistry: ViewRegistry { sharedCompanion(ViewRegistry.self) }
}
