public import SetteeDocumentValues
public import SetteeEngine
internal import SetteeIndexes
public import StorageProtocol

extension Database {
    /// Creates a value index, or replaces the one with this name. It is stored in the database, so that all programs
    /// use it. Its content is made by the first query that uses it, or by `updateIndex(named:)`.
    ///
    /// ```swift
    /// try db.createIndex("byTotal", on: [.ascending("type"), .descending("total")])
    /// try db.createIndex("open", on: [.ascending("due")], where: ["paid": ["$exists": false]])
    /// ```
    ///
    /// - Parameters:
    ///   - name: 1 to 255 bytes of UTF-8 that do not begin with `_`.
    ///   - fields: what the index is ordered by: 1 to 32 fields, each once.
    ///   - condition: a selector; nil: all documents have rows.
    /// - Returns: whether the definition is new.
    /// - Throws: `badID` (494) for the name; `badParameter` (495), `badRequest` (400) for fields or a condition that
    ///   are refused; `readOnly` (403), `callback` (593) inside `read`, `inUse` (423), `full` (507).
    @discardableResult
    public func createIndex(
        _ name: String,
        on fields: [FindOrder],
        where condition: JSONObject? = nil
    ) throws(StorageError) -> Bool {
        try createIndex(name, ValueIndexDefinition(fields, where: condition))
    }

    /// Creates a value index from its definition, like `createIndex(_:on:where:)`.
    @discardableResult
    public func createIndex(_ name: String, _ definition: ValueIndexDefinition) throws(StorageError) -> Bool {
        guard !isReadOnly else { throw .readOnly }
        let indexName = try ownName(name)
        let mapper = ValueIndexMapper(try ValueIndex(name, definition))
        let text = try definition.json.canonicalBytes()
        let key = ValueIndexKind.definitionPrefix + name
        let present = try withReadTransaction { (transaction) throws(StorageError) in try transaction.info(key) }
        if present == text { return false }
        try change { (session) throws(StorageError) in
            try session.transaction.setInfo(text, for: key)
            try IndexClaim.store(mapper, for: indexName, in: session)
        }
        indexRegistry.forget(indexName)
        didChangeViews()
        return true
    }

    /// Removes a value index with its content. One of a design document ends with that document.
    ///
    /// - Returns: whether there was one.
    /// - Throws: as `createIndex`.
    @discardableResult
    public func removeIndex(_ name: String) throws(StorageError) -> Bool {
        let indexName = try ownName(name)
        let key = ValueIndexKind.definitionPrefix + name
        let isThere = try withReadTransaction { (transaction) throws(StorageError) in
            if try transaction.info(key) != nil { return true }
            return try transaction.info(indexName.recordKey) != nil
        }
        guard isThere else { return false }
        try change { (session) throws(StorageError) in
            try session.transaction.setInfo(nil, for: key)
            try IndexClaim.remove(indexName, in: session)
        }
        indexRegistry.forget(indexName)
        didChangeViews()
        return true
    }

    /// The value indexes, in the order of the bytes of their names. Those of design documents are named
    /// `_design/NAME/INDEX`.
    public func indexes() throws(StorageError) -> [ValueIndexStatus] {
        try withReadTransaction { (transaction) throws(StorageError) in
            let last = try lastSequence(in: transaction)
            return try valueIndexes.indexes(in: transaction).map { (index) throws(StorageError) in
                let name = try IndexName(index.name, of: ValueIndexKind())
                let snapshot = try IndexSnapshot(name, of: self, in: transaction)
                let state = try snapshot.completeIndex(of: self, in: transaction)?.state
                return ValueIndexStatus(
                    name: index.name,
                    definition: index.definition,
                    rowCount: state?.rowCount ?? 0,
                    lastSequence: state?.lastSequence ?? 0,
                    isStale: (state?.lastSequence ?? 0) < last
                )
            }
        }
    }

    /// Brings a value index up to date. Queries do so themselves where it is needed.
    ///
    /// - Throws: `notFound` (404) if there is no such index; `readOnly` (403), `callback` (593) inside `read`, `inUse`
    ///   (423), `full` (507).
    public func updateIndex(named name: String) throws(StorageError) { try updateIndexes(named: [name]) }

    /// Brings value indexes up to date, all of them by one pass over the documents.
    ///
    /// - Throws: `notFound` (404) if there is no index with one of the names, and nothing is updated then; `readOnly`
    ///   (403), `callback` (593) inside `read`, `inUse` (423), `full` (507).
    public func updateIndexes(named names: [String]) throws(StorageError) {
        guard !isReadOnly else { throw .readOnly }
        let all = try Set(names.map { (name) throws(StorageError) in try IndexName(name, of: ValueIndexKind()) })
        try withReadTransaction { (transaction) throws(StorageError) in
            for name in all where try valueIndexes.index(name.string, in: transaction) == nil {
                throw StorageError(.notFound, "There is no index '\(name.string)'. Create it first.")
            }
        }
        if !all.isEmpty { try ValueIndexClaim.update(all.sorted(), of: self, nil) }
    }

    /// Removes what is left of indexes whose design documents are gone or have changed.
    package func removeUnusedValueIndexes() throws(StorageError) {
        let kind = ValueIndexKind()
        let unused = try withReadTransaction { (transaction) throws(StorageError) in
            let names = Set(try valueIndexes.indexes(in: transaction).map { Array($0.name.utf8) })
            return try transaction.allInfo().compactMap { IndexName(recordKey: $0.key, of: kind) }
                .filter { !names.contains(Array($0.string.utf8)) }
        }
        if unused.isEmpty { return }
        try change { (session) throws(StorageError) in
            for name in unused where try valueIndexes.index(name.string, in: session.transaction) == nil {
                try IndexClaim.remove(name, in: session)
            }
        }
    }

    private func ownName(_ name: String) throws(StorageError) -> IndexName {
        guard name.utf8.first != UInt8(ascii: "_") else {
            throw StorageError(.badID, "An index's name does not begin with '_': those are of design documents.")
        }
        return try IndexName(name, of: ValueIndexKind())
    }
}

/// A value index and how far it is built.
public struct ValueIndexStatus: Sendable, Equatable {
    /// The name.
    public var name: String
    /// What it holds.
    public var definition: ValueIndexDefinition
    /// The number of rows that are built; 0 before the first query that uses it.
    public var rowCount: UInt64
    /// The last sequence that was indexed.
    public var lastSequence: UInt64
    /// Whether the database has changed since then. Queries take such changes into account.
    public var isStale: Bool
}
