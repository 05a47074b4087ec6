internal import SetteeEngine
internal import SetteeIndexes
internal import StorageProtocol

/// The state that a query is about to show. Results with the same mark have the same rows.
struct QueryMark: Sendable, Equatable {
    /// The database's last sequence.
    let sequence: UInt64
    /// Whether the index lacks changes or has another version, and is read anyway.
    let isBehind: Bool
    private let view: View?

    /// Everything that decides which rows the view returns.
    private struct View: Equatable {
        var version: String?
        /// The version that this program has set.
        var ownVersion: String?
        var reduce: String?
        var ownReduce: String?
        /// The index that is read without bringing it up to date.
        var index: String?
    }

    init(_ query: DatabaseQuery) throws(StorageError) {
        guard case .view(let text) = query.source else {
            sequence = try query.database.lastSequence
            isBehind = false
            view = nil
            return
        }
        let database = query.database
        let name = try IndexName(view: text)
        (sequence, isBehind, view) = try database.withReadTransaction { (transaction) throws(StorageError) in
            let last = try database.lastSequence(in: transaction)
            let state = try IndexSnapshot(name, of: database, in: transaction)
            let version = state.record?.version ?? state.viewFunction?.version
            var view = View(version: version?.text, ownVersion: state.viewFunction?.version.text)
            if !query.mapOnly, query.reduce != false {
                view.ownReduce = state.viewFunction?.reduce?.identity
                view.reduce = state.record.map(\.derived) ?? view.ownReduce
            }
            if query.update == .before { return (last, false, view) }
            let collation = try version.map { (version) throws(StorageError) in
                try database.version(of: version.collation.order)
            }
            guard let collation, let entry = state.record?.readable(collation: collation),
                let index = try transaction.indexState(entry.index)
            else { return (last, last > 0, view) }
            view.index = entry.index
            return (last, entry.version != version || index.lastSequence < last, view)
        }
    }
}
