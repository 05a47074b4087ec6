internal import SetteeDocumentValues
internal import SetteeEngine
internal import SetteeExpressions
internal import SetteeIndexes
internal import StorageProtocol

/// The value indexes that a database defines: those that were created in Swift or the shell, as info values, and those
/// of design documents whose language is "query", as CouchDB has them. Definitions are parsed again only when their
/// texts change.
final class ValueIndexCatalog: DatabaseCompanion {
    private struct Known {
        var text: [UInt8]
        /// Empty if it cannot be used. The reason is in the log.
        var indexes: [ValueIndex]
    }

    /// By the bytes of the info value's key, or of the design document's ID: as texts, composed and decomposed
    /// characters would be the same.
    private let known = Locked<[[UInt8]: Known]>([:])
    /// What is known of the state with a change counter.
    private struct Present {
        let changeCounter: UInt64
        let indexes: [ValueIndex]
        /// The indexes that have seen everything, by the names of the definitions.
        var current: [[UInt8]: CurrentIndex] = [:]
        /// How often all documents were read for a field.
        var walks: [FieldPath: Int] = [:]
        /// Nil: it would take too much memory.
        var temporary: [FieldPath: ValueIndex?] = [:]
    }

    private let present = Locked<Present?>(nil)

    init(of database: Database) { database.join(.queries) }

    func databaseWillClose() {}

    /// All indexes, in the order of their names' bytes.
    ///
    /// - Complexity: one look at the database's counters; O(info values and design documents) after any change.
    func indexes(in transaction: any ReadTransaction) throws(StorageError) -> [ValueIndex] {
        // What a transaction shows may be rolled back.
        if transaction is any WriteTransaction { return try read(transaction) }
        let counter = try transaction.counters().changeCounter
        let known = present.withLock { present in
            present.flatMap { $0.changeCounter == counter ? $0.indexes : nil }
        }
        if let known { return known }
        let indexes = try read(transaction)
        present.withLock { $0 = Present(changeCounter: counter, indexes: indexes) }
        return indexes
    }

    /// Returns what is known of an index that has seen everything that a snapshot shows; nil: it may not have.
    func currentIndex(of index: ValueIndex, in transaction: any ReadTransaction) throws(StorageError) -> CurrentIndex? {
        if transaction is any WriteTransaction { return nil }
        let counter = try transaction.counters().changeCounter
        return present.withLock { present in
            guard let present, present.changeCounter == counter,
                let known = present.current[Array(index.name.utf8)], known.version == index.version
            else { return nil }
            return known
        }
    }

    /// Remembers an index that has seen everything that a snapshot shows.
    func note(
        _ current: CurrentIndex,
        of index: ValueIndex,
        in transaction: any ReadTransaction
    ) throws(StorageError) {
        if transaction is any WriteTransaction { return }
        let counter = try transaction.counters().changeCounter
        present.withLock { present in
            if present?.changeCounter == counter { present?.current[Array(index.name.utf8)] = current }
        }
    }

    private func read(_ transaction: any ReadTransaction) throws(StorageError) -> [ValueIndex] {
        var found: [ValueIndex] = []
        let prefix = ValueIndexKind.definitionPrefix
        for (key, value) in try transaction.allInfo() where key.utf8.starts(with: prefix.utf8) {
            found += indexes(of: key, value) {
                let name = String(decoding: key.utf8.dropFirst(prefix.utf8.count), as: UTF8.self)
                return ValueIndexCatalog.stored(name, value).map { [$0] } ?? []
            }
        }
        try transaction.orderedRecords(in: QueryDesign.range, descending: false, fields: .body) {
            (record) throws(StorageError) in
            if record.flags.contains(.deleted) { return true }
            let body = record.bodyCopy()
            guard QueryDesign.isLikely(body) else { return true }
            let id = try record.documentID().string
            found += indexes(of: id, body) { QueryDesign.indexes(id, body) }
            return true
        }
        // `_design/a` with the view `b/c` and `_design/a/b` with the view `c` have one name: only the first is used.
        var names: Set<[UInt8]> = []
        return found.filter { names.insert(Array($0.name.utf8)).inserted }
            .sorted { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }
    }

    func index(_ name: String, in transaction: any ReadTransaction) throws(StorageError) -> ValueIndex? {
        try indexes(in: transaction).first { $0.name.utf8.elementsEqual(name.utf8) }
    }

    // MARK: - Indexes in memory

    /// The indexes that were made in memory for the state that a snapshot shows.
    func temporaryIndexes(in transaction: any ReadTransaction) throws(StorageError) -> [ValueIndex] {
        if transaction is any WriteTransaction { return [] }
        let counter = try transaction.counters().changeCounter
        return present.withLock { present in
            guard let present, present.changeCounter == counter else { return [] }
            return present.temporary.values.compactMap { $0 }
        }
    }

    /// Counts a walk over all documents, and makes an index in memory if there were some for the same field.
    ///
    /// - Returns: whether one was made.
    func noteWalk(
        for selector: MangoSelector,
        in transaction: any ReadTransaction,
        _ cancellation: Cancellation?
    ) throws(StorageError) -> Bool {
        guard !(transaction is any WriteTransaction), let path = selector.bestField else { return false }
        let counters = try transaction.counters()
        guard counters.liveDocuments <= TemporaryIndex.mostDocuments else { return false }
        let isDue = present.withLock { present in
            guard let state = present, state.changeCounter == counters.changeCounter, state.temporary[path] == nil,
                state.temporary.count < TemporaryIndex.most
            else { return false }
            present?.walks[path, default: 0] += 1
            return (present?.walks[path] ?? 0) > TemporaryIndex.walks
        }
        guard isDue else { return false }
        let definition = ValueIndexDefinition([.ascending(path.text)])
        let rows = try TemporaryIndex(ValueIndex(TemporaryIndex.name, definition), in: transaction, cancellation)
        let made = try rows.map { (rows) throws(StorageError) in
            try ValueIndex(TemporaryIndex.name, definition, temporary: rows)
        }
        present.withLock { present in
            guard let state = present, state.changeCounter == counters.changeCounter,
                state.temporary.count < TemporaryIndex.most
            else { return }
            present?.temporary[path] = .some(made)
        }
        return made != nil
    }

    private func indexes(of key: String, _ text: [UInt8], _ make: () -> [ValueIndex]) -> [ValueIndex] {
        let place = Array(key.utf8)
        if let present = known.withLock({ $0[place] }), present.text == text { return present.indexes }
        let indexes = make()
        known.withLock { $0[place] = Known(text: text, indexes: indexes) }
        return indexes
    }

    /// A definition that a later version wrote, or that is damaged, is no index here: queries do without it.
    private static func stored(_ name: String, _ value: [UInt8]) -> ValueIndex? {
        do throws(StorageError) {
            guard case .object(let json) = try JSONValue(parsing: value) else { return nil }
            return try ValueIndex(name, try ValueIndexDefinition(json: json))
        } catch {
            Log.log(
                .warning,
                .query,
                "The definition of an index cannot be read, so that it is not used: \(error.message)"
            )
            return nil
        }
    }
}

extension Database {
    var valueIndexes: ValueIndexCatalog { sharedCompanion(ValueIndexCatalog.self) }
}
