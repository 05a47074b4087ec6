internal import SetteeDocumentValues
package import SetteeEngine
package import StorageProtocol

/// The rows of an index in one snapshot: those in the store, those of an overlay in memory, both, or neither.
package struct ReadableIndex {
    /// Which rows a reader gets that does not set a limit for the tail.
    package enum Mode: Sendable {
        /// The rows that the index has now. They may be those of the previous version.
        case asItIs
        /// At least those that the database had when the reader began. It has brought the index up to date before, if
        /// it could; if it can only read, what the index lacks is evaluated.
        case upToDate
    }

    package let database: Database
    package let name: IndexName
    package let version: IndexVersion
    package let order: KeyOrder
    /// The index's name in the store; nil: there is no index to read.
    package let index: String?
    /// What the index lacks; nil: nothing, or nothing that the query needs.
    package let overlay: IndexOverlay?
    /// The sequence at which a row last changed, as far as known.
    package let lastChangedSequence: UInt64

    /// Stays the same as long as reading of the rows can continue.
    package var identity: String { index ?? version.text }

    /// - Parameter identity: of the index whose first rows were already read; nil: no rows were read yet.
    /// - Throws: `notFound` (404), `superseded` (412), `conflict` (409) if that index no longer exists.
    package init(
        _ snapshot: IndexSnapshot,
        of database: Database,
        in transaction: any ReadTransaction,
        mode: Mode,
        identity: String?
    ) throws(StorageError) {
        let source = try IndexSource(snapshot, of: database, in: transaction)
        let found =
            switch mode {
            case .asItIs: (index: source.readable(identity: identity), overlay: IndexOverlay?.none)
            case .upToDate: try source.upToDate()
            }
        try self.init(source, index: found.index, overlay: found.overlay, identity: identity)
    }

    /// Everything that the snapshot shows, whether or not the database can be written. What the index lacks, the tail,
    /// is evaluated on the snapshot, and so are all documents if there is no index yet.
    ///
    /// Nil if the tail is longer than `limit`: the index has to be brought up to date first. Where that is impossible,
    /// because the caller can only read or is in a transaction, a tail of any length is evaluated.
    ///
    /// - Parameter identity: of the index whose first rows were already read; nil: no rows were read yet.
    /// - Throws: as the other initializer.
    package init?(
        _ snapshot: IndexSnapshot,
        of database: Database,
        in transaction: any ReadTransaction,
        tailWithin limit: TailLimit,
        identity: String?
    ) throws(StorageError) {
        let source = try IndexSource(snapshot, of: database, in: transaction)
        let isLimited = !database.readsOnly && !database.isWriting
        guard let found = try source.withTail(within: isLimited ? limit : nil) else { return nil }
        try self.init(source, index: found.index, overlay: found.overlay, identity: identity)
    }

    private init(
        _ source: IndexSource,
        index: String?,
        overlay: IndexOverlay?,
        identity: String?
    ) throws(StorageError) {
        database = source.database
        name = source.snapshot.name
        version = source.version
        order = source.order
        self.index = index
        self.overlay = overlay
        lastChangedSequence =
            try index.flatMap { (index) throws(StorageError) in
                try source.transaction.indexState(index)?.lastChangedSequence
            } ?? 0
        guard identity == nil || identity == self.identity else {
            throw StorageError(
                .conflict,
                "The \(name.kind.words.index) '\(name.string)' was built anew while its rows were read. "
                    + "Run the query again."
            )
        }
    }

    /// Passes the rows within a range to `body`, like `IndexReader.indexRows`.
    package func rows(
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

/// How much may be evaluated because an index lacks it, before the index has to be brought up to date.
package struct TailLimit: Sendable {
    package var documents: Int
    /// Of the documents' texts.
    package var bytes: Int

    package init(documents: Int, bytes: Int) {
        self.documents = documents
        self.bytes = bytes
    }

    package static let standard = TailLimit(documents: 1_000, bytes: 4 << 20)
}

/// Finds the parts of a readable index.
private struct IndexSource {
    let snapshot: IndexSnapshot
    let database: Database
    let transaction: any ReadTransaction
    let version: IndexVersion
    let order: KeyOrder
    private let collation: String

    /// - Throws: `notFound` (404), `superseded` (412).
    init(
        _ snapshot: IndexSnapshot,
        of database: Database,
        in transaction: any ReadTransaction
    ) throws(StorageError) {
        let (name, mapper) = (snapshot.name, snapshot.mapper)
        guard let version = mapper?.version ?? snapshot.record?.version else {
            throw StorageError(.notFound, "There is no \(name.described).")
        }
        guard let order = mapper?.order ?? name.kind.order(of: version) else { throw IndexTarget.noMapper(name) }
        if let mapper, !database.isReadOnly { try IndexClaim.check(mapper, snapshot.record, name) }
        self.snapshot = snapshot
        self.database = database
        self.transaction = transaction
        self.version = version
        self.order = order
        collation = try database.version(of: order)
    }

    func readable(identity: String?) -> String? {
        guard let identity else { return snapshot.record?.readable(collation: collation)?.index }
        let isKnown = snapshot.record?.entries.contains { $0.index == identity } ?? false
        return isKnown ? identity : nil
    }

    func upToDate() throws(StorageError) -> (index: String?, overlay: IndexOverlay?) {
        // An index that was brought up to date when the query began may have fallen behind since; its rows are read as
        // they are. An overlay is always brought up to date.
        if snapshot.mapper != nil, !database.readsOnly, let entry = usableEntry, entry.isComplete {
            return (entry.index, nil)
        }
        return try withTail(within: nil) ?? (nil, nil)
    }

    /// An index of another version, which a read-only database may have, or one that is being filled, cannot be
    /// completed by a tail.
    private var usableEntry: IndexRecord.Entry? {
        guard let record = snapshot.record, record.version == version, let entry = record.entry(collation: collation)
        else { return nil }
        return entry.filler == nil ? entry : nil
    }

    /// - Parameter limit: nil: the tail may have any length.
    /// - Returns: nil if the tail is longer.
    func withTail(within limit: TailLimit?) throws(StorageError) -> (index: String?, overlay: IndexOverlay?)? {
        let name = snapshot.name
        guard let mapper = snapshot.mapper else { throw IndexTarget.noMapper(name) }
        let entry = usableEntry
        var seen: UInt64 = 0
        if let entry, let state = try transaction.indexState(entry.index) { seen = state.lastSequence }
        let last = try database.lastSequence(in: transaction)
        if let entry, seen >= last { return (entry.index, nil) }
        let registry = database.indexRegistry
        var session: WriteSession?
        if case .write(let present) = database.threadActivity { session = present }
        let uncommitted = session == nil ? nil : registry.takeUncommittedOverlay(name)
        var overlay = uncommitted ?? registry.overlay(name)
        if overlay?.version != version || overlay?.collation != collation || overlay?.base != entry?.index
            || overlay?.baseSequence != seen || (overlay?.lastSequence ?? 0) > last
        {
            overlay = nil
        }
        // Compactions wait until indexes have seen a purge, but not for overlays in memory.
        if let known = overlay, try database.forgottenPurges(in: transaction) > known.lastSequence { overlay = nil }
        var fresh =
            overlay
            ?? IndexOverlay(version: version, collation: collation, base: entry?.index, baseSequence: seen)
        let isWhole = try fresh.update(mapper, of: database, in: transaction, within: limit) { rows in
            registry.add(rows.faults, to: name)
        }
        guard isWhole else { return nil }
        if let session {
            registry.keep(fresh, for: name, in: session)
        } else if !(transaction is any WriteTransaction) {
            // `read` inside a transaction shows what may be rolled back.
            registry.keep(fresh, for: name)
        }
        return (entry?.index, fresh)
    }
}
