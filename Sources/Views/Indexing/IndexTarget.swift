internal import SetteeEngine
internal import StorageProtocol

/// An index that is being brought up to date, as seen in one snapshot.
struct IndexTarget {
    let name: ViewName
    let function: ViewFunction
    let collation: String
    /// Nil: it has to be created.
    let entry: ViewRecord.Entry?
    /// Whether another process is filling it now.
    let isFilledElsewhere: Bool
    /// The last sequence that it has seen.
    let lastSequence: UInt64

    var isComplete: Bool { entry?.isComplete ?? false }
    /// Documents with sequences up to this one have no rows before they are indexed for the first time.
    var fresh: UInt64 { entry?.fresh ?? 0 }
    var work: ChunkMapper.Work { ChunkMapper.Work(function: function, after: lastSequence) }

    /// - Throws: `notFound` (404) if there is no map function, `superseded` (412).
    init(
        _ name: ViewName,
        of database: Database,
        in transaction: any ReadTransaction,
        expecting: [String: UInt64]
    ) throws(StorageError) {
        guard let function = try database.viewFunction(name, in: transaction) else {
            throw IndexTarget.noFunction(name)
        }
        let record = try ViewRecord.load(name, in: transaction)
        try ViewClaim.check(function, record, name)
        let collation = try database.collationVersion(function.collation)
        let found = record?.entry(collation: collation)
        let entry = found?.filler == nil ? found : nil
        isFilledElsewhere =
            try found?.filler.map { (filler) throws(StorageError) in try database.isOpenElsewhere(as: filler) } ?? false
        var seen: UInt64 = 0
        if let entry {
            guard let state = try transaction.indexState(entry.index) else {
                throw .corrupt("The index of view '\(name.string)' is missing; delete the view's index")
            }
            seen = max(state.lastSequence, expecting[entry.index] ?? 0)
        }
        self.name = name
        self.function = function
        self.collation = collation
        self.entry = entry
        lastSequence = seen
    }

    static func noFunction(_ name: ViewName) -> StorageError {
        StorageError(
            .notFound,
            """
            The view '\(name.string)' has no map function here: set it with `setMap` each time the database is opened, \
            or \
            store a definition. What was built before can be read with `update: .never`.
            """
        )
    }

    /// Creates an empty index, replacing one whose filling was not completed.
    ///
    /// - Parameter filler: the opening that is going to fill it; nil: it takes rows like any other index.
    /// - Returns: nil if another process was faster.
    func create(
        filler: String?,
        in session: WriteSession,
        of database: Database
    ) throws(StorageError) -> ViewRecord.Entry? {
        let transaction = try session.transaction
        var record = try ViewRecord.load(name, in: transaction) ?? ViewRecord(version: function.version)
        try ViewClaim.check(function, record, name)
        session.noteChange()
        if let old = record.entry(collation: collation) {
            guard let other = old.filler else { return nil }
            if filler != nil, try database.isOpenElsewhere(as: other) { return nil }
            try session.dropIndex(old.index)
            record.entries.removeAll { $0.index == old.index }
        }
        let entry = ViewRecord.Entry(
            index: try IndexTarget.newName(in: transaction),
            version: function.version,
            collation: collation,
            isComplete: false,
            fresh: try session.lastSequence(),
            filler: filler
        )
        record.entries.append(entry)
        record.reduce = function.reduce?.identity
        try transaction.setIndexState(
            entry.index,
            IndexState(
                version: function.version.text,
                collationVersion: collation,
                lastChangedSequence: filler == nil ? 0 : entry.fresh
            )
        )
        try record.store(name, in: session)
        return entry
    }

    /// Returns a name that no index has.
    private static func newName(in transaction: any ReadTransaction) throws(StorageError) -> String {
        while true {
            let digits = String(UInt64.random(in: 0 ... .max), radix: 16)
            let name = ViewRecord.indexNamePrefix + String(repeating: "0", count: 16 - digits.count) + digits
            if try transaction.indexState(name) == nil { return name }
        }
    }
}
