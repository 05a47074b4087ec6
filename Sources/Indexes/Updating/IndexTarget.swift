internal import SetteeEngine
internal import StorageProtocol

/// An index that is being brought up to date, as seen in one snapshot.
struct IndexTarget {
    let name: IndexName
    let mapper: any RowMapper
    let collation: String
    /// Nil: it has to be created.
    let entry: IndexRecord.Entry?
    /// Whether another process is filling it now.
    let isFilledElsewhere: Bool
    /// The last sequence that it has seen.
    let lastSequence: UInt64

    var isComplete: Bool { entry?.isComplete ?? false }
    /// Documents with sequences up to this one have no rows before they are indexed for the first time.
    var fresh: UInt64 { entry?.fresh ?? 0 }
    var work: ChunkMapper.Work { ChunkMapper.Work(mapper: mapper, after: lastSequence) }

    /// - Throws: `notFound` (404) if there is no mapper, `superseded` (412).
    init(
        _ name: IndexName,
        of database: Database,
        in transaction: any ReadTransaction,
        expecting: [String: UInt64]
    ) throws(StorageError) {
        guard let mapper = try name.kind.mapper(of: name, in: database, transaction) else {
            throw IndexTarget.noMapper(name)
        }
        let record = try IndexRecord.load(name, in: transaction)
        try IndexClaim.check(mapper, record, name)
        let collation = try database.version(of: mapper.order)
        let found = record?.entry(collation: collation)
        let entry = found?.filler == nil ? found : nil
        isFilledElsewhere =
            try found?.filler.map { (filler) throws(StorageError) in try database.isOpenElsewhere(as: filler) } ?? false
        var seen: UInt64 = 0
        if let entry {
            guard let state = try transaction.indexState(entry.index) else {
                throw .corrupt(
                    "The \(name.kind.words.index) '\(name.string)' is missing; \(name.kind.words.rebuilding)"
                )
            }
            seen = max(state.lastSequence, expecting[entry.index] ?? 0)
        }
        self.name = name
        self.mapper = mapper
        self.collation = collation
        self.entry = entry
        lastSequence = seen
    }

    static func noMapper(_ name: IndexName) -> StorageError {
        StorageError(.notFound, "The \(name.described) \(name.kind.words.lackingMapper)")
    }

    /// Creates an empty index, replacing one whose filling was not completed.
    ///
    /// - Parameter filler: the opening that is going to fill it; nil: it takes rows like any other index.
    /// - Returns: nil if another process was faster.
    func create(
        filler: String?,
        in session: WriteSession,
        of database: Database
    ) throws(StorageError) -> IndexRecord.Entry? {
        let transaction = try session.transaction
        var record = try IndexRecord.load(name, in: transaction) ?? IndexRecord(version: mapper.version)
        try IndexClaim.check(mapper, record, name)
        session.noteChange()
        if let old = record.entry(collation: collation) {
            guard let other = old.filler else { return nil }
            if filler != nil, try database.isOpenElsewhere(as: other) { return nil }
            try session.dropIndex(old.index)
            record.entries.removeAll { $0.index == old.index }
        }
        let entry = IndexRecord.Entry(
            index: try newName(in: transaction),
            version: mapper.version,
            collation: collation,
            isComplete: false,
            fresh: try session.lastSequence(),
            filler: filler
        )
        record.entries.append(entry)
        record.derived = mapper.derivedEntries?.identity
        try transaction.setIndexState(
            entry.index,
            IndexState(
                version: mapper.version.text,
                collationVersion: collation,
                lastChangedSequence: filler == nil ? 0 : entry.fresh
            )
        )
        try record.store(name, in: session)
        return entry
    }

    /// Returns a name that no index has.
    private func newName(in transaction: any ReadTransaction) throws(StorageError) -> String {
        while true {
            let digits = String(UInt64.random(in: 0 ... .max), radix: 16)
            let name = self.name.kind.indexPrefix + String(repeating: "0", count: 16 - digits.count) + digits
            if try transaction.indexState(name) == nil { return name }
        }
    }
}
