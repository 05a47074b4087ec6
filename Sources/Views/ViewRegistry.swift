internal import SetteeEngine
internal import SetteeIndexes
internal import StorageProtocol
internal import Synchronization

/// The map functions that this process has set, and what it caches for them as long as the database is open.
final class ViewRegistry: DatabaseCompanion {
    private struct View {
        var function: ViewFunction?
        /// Functions that are about to replace it, each with the number of its `prepare` call; the last call is last.
        var pending: [(number: UInt64, function: ViewFunction?)] = []
    }

    init(of database: Database) { database.join(.views) }

    func databaseWillClose() {}

    private let views = Locked<[IndexName: View]>([:])
    private let numbers = Atomic<UInt64>(0)
    /// The function parsed last from each stored definition, with the text it was parsed from.
    private let stored = Locked<[IndexName: (text: [UInt8], function: ViewFunction)]>([:])
    private let summaryMarks = Locked<[String: SummaryMark]>([:])

    /// Returns this program's map function for a view in one state of the database. While a function is being replaced,
    /// the record in that state decides which one it is.
    ///
    /// - Parameter record: the view's record in that state.
    func function(
        _ name: IndexName,
        matching record: () throws(StorageError) -> IndexRecord?
    ) throws(StorageError) -> ViewFunction? {
        let (function, pending) = views.withLock { views in
            (views[name]?.function, views[name]?.pending.map(\.function) ?? [])
        }
        guard let last = pending.last else { return function }
        let present = try record()
        let candidates = pending.reversed() + [function]
        return candidates.first { candidate in
            candidate?.version == present?.version && candidate?.reduce?.identity == present?.derived
        } ?? last
    }

    /// Returns the map function that this program has set last, even if its record is not committed yet.
    func lastSet(_ name: IndexName) -> ViewFunction? {
        views.withLock { views in
            guard let view = views[name] else { return nil }
            return view.pending.isEmpty ? view.function : view.pending.last?.function
        }
    }

    /// Notes that a function, or none, is about to replace the current one. `settle` must follow.
    func prepare(_ function: ViewFunction?, for name: IndexName) -> UInt64 {
        let number = numbers.add(1, ordering: .relaxed).newValue
        views.withLock { $0[name, default: View()].pending.append((number, function)) }
        return number
    }

    /// Ends what `prepare` began.
    ///
    /// - Parameter isTaken: whether the function is current now, because its record was committed.
    /// - Returns: whether it has replaced another.
    func settle(_ number: UInt64, for name: IndexName, isTaken: Bool) -> Bool {
        views.withLock { views in
            guard let place = views[name]?.pending.firstIndex(where: { $0.number == number }) else { return false }
            let function = views[name]?.pending.remove(at: place).function
            guard isTaken else { return false }
            views[name]?.function = function
            return true
        }
    }

    func set(_ function: ViewFunction?, for name: IndexName) {
        views.withLock { $0[name, default: View()].function = function }
    }

    var names: [IndexName] { views.withLock { views in views.filter { $0.value.function != nil }.map(\.key) } }

    /// Returns the function of a stored definition; nil if no text, or another one, was parsed last.
    func storedFunction(_ name: IndexName, of text: [UInt8]) -> ViewFunction? {
        stored.withLock { stored in stored[name].flatMap { $0.text == text ? $0.function : nil } }
    }
    func keepStored(_ function: ViewFunction, of text: [UInt8], for name: IndexName) {
        stored.withLock { $0[name] = (text, function) }
    }

    // MARK: - Parts of reductions

    /// What all stored parts of reductions in an index were made from; nil: unknown.
    func summaryMark(_ index: String) -> SummaryMark? { summaryMarks.withLock { $0[index] } }
    func setSummaryMark(_ mark: SummaryMark?, for index: String) { summaryMarks.withLock { $0[index] = mark } }

}

/// The state of an index whose stored parts are all there: the reduce function, and when its rows last changed.
struct SummaryMark: Sendable, Equatable {
    /// The identity of the reduce function.
    var reduce: String
    /// The sequence at which a row last changed.
    var changed: UInt64
}

extension Database {
    var viewRegistry: ViewRegistry { sharedCompanion(ViewRegistry.self) }
}
