internal import StorageProtocol

/// The map functions that this process has set, and what it remembers of its views, for as long as the database is open.
final class ViewRegistry: Sendable {
    private struct View {
        var function: ViewFunction?
        var overlay: IndexOverlay?
        var faults = EmitFaults()
    }

    private let views = Locked<[ViewName: View]>([:])
    /// What the texts of stored definitions were parsed to last.
    private let stored = Locked<[ViewName: (text: [UInt8], function: ViewFunction)]>([:])
    private let summaryMarks = Locked<[String: SummaryMark]>([:])
    /// One update of a view's index at a time: the others wait for it.
    private let updating = Locked<[ViewName: UpdateTurn]>([:])

    func function(_ name: ViewName) -> ViewFunction? { views.withLock { $0[name]?.function } }

    func set(_ function: ViewFunction?, for name: ViewName) {
        views.withLock { views in
            views[name, default: View()].function = function
            views[name]?.overlay = nil
            views[name]?.faults = EmitFaults()
        }
    }

    var names: [ViewName] { views.withLock { views in views.filter { $0.value.function != nil }.map(\.key) } }

    /// The function of a stored definition; nil where another text was parsed last, or none.
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

    /// What all parts of reductions were stored of in an index; nil: not known.
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

/// Rows that are reduced: of which function, and as they were since when.
struct SummaryMark: Sendable, Equatable {
    /// The identity of the reduce function.
    var reduce: String
    /// The sequence at which a row last changed.
    var changed: UInt64
}

/// Whoever holds its lock updates the view's index.
final class UpdateTurn: Sendable {
    private let lock = Locked<Void>(())

    func perform(_ body: () throws(StorageError) -> Void) throws(StorageError) {
        var failure: StorageError?
        lock.withLock { _ in
            do throws(StorageError) { try body() } catch { failure = error }
        }
        if let failure { throw failure }
    }
}
