internal import SetteeEngine
internal import SetteeIndexes
internal import StorageProtocol

/// The state of a view by which a live query can tell, without running the query, that its rows are the same as before.
struct LiveQueryMark: Sendable, Equatable {
    let name: IndexName
    /// Whether the query updates the index in the background, and the index is behind.
    let isBehind: Bool
    private let index: String?
    private let lastChangedSequence: UInt64
    private let reduce: String?

    static func == (a: LiveQueryMark, b: LiveQueryMark) -> Bool {
        a.index == b.index && a.lastChangedSequence == b.lastChangedSequence && a.reduce == b.reduce
    }

    /// Brings the view's index up to date first if the query's mode is `before`. Nil if the query has to be run.
    init?(_ query: DatabaseQuery, _ cancellation: Cancellation) throws(StorageError) {
        guard case .view(let text) = query.source, query.update != .before || !query.database.isReadOnly else {
            return nil
        }
        let database = query.database
        let name = try IndexName(view: text)
        if query.update == .before { try IndexUpdater(database, [name], cancellation: cancellation).run() }
        let mark = try database.withReadTransaction {
            (transaction) throws(StorageError) -> (index: String?, changed: UInt64, reduce: String?, isBehind: Bool)? in
            let view = try IndexSnapshot(name, of: database, in: transaction)
            let source = try ReadableIndex(
                view,
                of: database,
                in: transaction,
                mode: query.update.indexMode,
                identity: nil
            )
            if source.overlay != nil || query.update == .before && source.index == nil { return nil }
            var isBehind = false
            if query.update == .after, !database.isReadOnly, view.viewFunction != nil {
                let last = try database.lastSequence(in: transaction)
                isBehind =
                    try view.completeIndex(of: database, in: transaction).map { $0.state.lastSequence < last } ?? true
            }
            let reduce = view.viewFunction?.reduce?.identity ?? view.record?.derived
            return (source.index, source.lastChangedSequence, reduce, isBehind)
        }
        guard let mark else { return nil }
        self.name = name
        index = mark.index
        lastChangedSequence = mark.changed
        reduce = mark.reduce
        isBehind = mark.isBehind
    }
}
