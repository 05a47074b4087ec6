internal import SetteeDocumentValues
internal import SetteeEngine
internal import StorageProtocol

/// The rows of a view in one snapshot: those of an index, those of an overlay in memory, both, or neither.
struct ReadableIndex {
    let database: Database
    let name: ViewName
    let version: ViewVersion
    /// The index's name in the store; nil: there is no index to read.
    let index: String?
    /// What the index lacks; nil: nothing, or nothing that the query needs.
    let overlay: IndexOverlay?
    /// The sequence at which a row last changed, as far as known.
    let lastChangedSequence: UInt64

    var collator: Collator { version.collation.collator }

    /// Stays the same as long as reading of the rows can continue.
    var identity: String { index ?? version.text }

    /// - Parameters:
    ///   - mode: with `before`, everything that the snapshot shows must be there.
    ///   - identity: of the index whose first rows were already read; nil: no rows were read yet.
    /// - Throws: `notFound` (404), `superseded` (412), `conflict` (409) if that index no longer exists.
    init(
        _ view: ViewSnapshot,
        of database: Database,
        in transaction: any ReadTransaction,
        mode: UpdateMode,
        identity: String?
    ) throws(StorageError) {
        let (name, function, record) = (view.name, view.function, view.record)
        guard let version = function?.version ?? record?.version else {
            throw StorageError(.notFound, "There is no view '\(name.string)'.")
        }
        if let function, !database.isReadOnly { try ViewClaim.check(function, record, name) }
        self.database = database
        self.name = name
        self.version = version
        let collation = try database.collationVersion(version.collation)
        let found = try ReadableIndex.find(
            function,
            record,
            name,
            collation,
            database,
            transaction,
            mode: mode,
            identity: identity
        )
        index = found.index
        overlay = found.overlay
        lastChangedSequence =
            try found.index.flatMap { (index) throws(StorageError) in
                try transaction.indexState(index)?.lastChangedSequence
            } ?? 0
        if let identity, identity != self.identity { throw ReadableIndex.rebuilt(name) }
    }

    private static func find(
        _ function: ViewFunction?,
        _ record: ViewRecord?,
        _ name: ViewName,
        _ collation: String,
        _ database: Database,
        _ transaction: any ReadTransaction,
        mode: UpdateMode,
        identity: String?
    ) throws(StorageError) -> (index: String?, overlay: IndexOverlay?) {
        guard mode == .before else {
            if let identity {
                let known = record?.entries.contains { $0.index == identity } ?? false
                return (known ? identity : nil, nil)
            }
            return (record?.readable(collation: collation)?.index, nil)
        }
        guard let function else { throw IndexTarget.noFunction(name) }
        // An index of another version, which a read-only database may have, or one that is being filled, cannot be used
        // here.
        let found = record.flatMap { $0.version == function.version ? $0.entry(collation: collation) : nil }
        let entry = found?.filler == nil ? found : nil
        var seen: UInt64 = 0
        if let entry, let state = try transaction.indexState(entry.index) { seen = state.lastSequence }
        let last = try database.lastSequence(in: transaction)
        if let entry, seen >= last { return (entry.index, nil) }
        // An index that was brought up to date when the query began may have fallen behind since; its rows are read as
        // they are. An overlay is always brought up to date.
        if let entry, entry.isComplete, !database.readsOnly { return (entry.index, nil) }
        var overlay = database.viewRegistry.overlay(name)
        if overlay?.version != function.version || overlay?.collation != collation || overlay?.base != entry?.index
            || overlay?.baseSequence != seen || (overlay?.lastSequence ?? 0) > last
        {
            overlay = nil
        }
        // Compactions wait until indexes have seen a purge, but not for overlays in memory.
        if let known = overlay, try database.forgottenPurges(in: transaction) > known.lastSequence { overlay = nil }
        var fresh =
            overlay
            ?? IndexOverlay(
                version: function.version,
                collation: collation,
                base: entry?.index,
                baseSequence: seen
            )
        try fresh.update(function, of: database, in: transaction) { rows in
            database.viewRegistry.add(rows.faults, to: name)
        }
        // What a write transaction shows may be rolled back.
        if !(transaction is any WriteTransaction) { database.viewRegistry.keep(fresh, for: name) }
        return (entry?.index, fresh)
    }

    private static func rebuilt(_ name: ViewName) -> StorageError {
        StorageError(
            .conflict,
            "The index of view '\(name.string)' was built anew while its rows were read. Run the query again."
        )
    }

    // MARK: - Rows

    /// Passes the rows within a range to `body`, like `IndexReader.indexRows`.
    func rows(
        in range: IndexRange,
        descending: Bool,
        _ transaction: any ReadTransaction,
        _ body: (borrowing IndexRowView) throws(StorageError) -> Bool
    ) throws(StorageError) {
        if let overlay, !overlay.isEmpty {
            var merge = IndexMerge(overlay, range, descending: descending)
            return try merge.run(index, transaction, body)
        }
        guard let index else { return }
        try transaction.orderedRows(index, in: range, descending: descending, body)
    }
}

extension Database {
    /// Whether the calling thread can only read at the moment.
    var readsOnly: Bool {
        if isReadOnly { return true }
        if case .snapshot = threadActivity { return true }
        return false
    }

    /// Whether the calling thread has a write transaction open.
    var isWriting: Bool {
        if case .write = threadActivity { return true }
        return false
    }
}
