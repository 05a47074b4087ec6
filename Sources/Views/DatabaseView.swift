internal import SetteeDocumentValues
public import SetteeEngine
internal import SetteeIndexes
public import StorageProtocol

/// A view of a database: an index, ordered by key, of what a map function emits for each document. This is a handle,
/// whether the view exists or not.
///
/// ```swift
/// let byAuthor = db.view("byAuthor")
/// try byAuthor.setMap(version: "1") { document, emit in emit(document["author"], document["title"]) }
/// try byAuthor.query(startKey: "C", limit: 20).forEach { row in print(row.key, row.documentID) }
/// ```
///
/// Every call throws `badID` (494) for a name that is empty, longer than 255 bytes, or contains NUL, and `notOpen`
/// (503) after the database was closed.
public struct DatabaseView: Sendable {
    /// The database of the view.
    public let database: Database
    /// The name of the view.
    public let name: String

    init(_ name: String, of database: Database) {
        self.name = name
        self.database = database
    }

    func viewName() throws(StorageError) -> IndexName { try IndexName(view: name) }

    /// Sets the map function. Each program does so each time it opens the database, before it queries the view.
    ///
    /// The function runs on several threads at the same time, for documents in any order, and more than once for the
    /// same document. Its rows must depend on the document alone: no clock, no other documents, nothing that changes.
    /// It must not call the database (593).
    ///
    /// - Parameters:
    ///   - version: to be changed whenever the function changes: a new index is then built beside the current one. The
    ///     version that was set last counts; queries of programs that have set another one throw `superseded` (412).
    ///   - documentType: maps only documents whose `type` is this.
    ///   - collation: the order of the keys.
    ///   - reduce: the reduce function, which has its own version.
    ///   - map: emits the rows. If it throws for a document, the document has no rows; this is counted and logged.
    /// - Returns: whether a new index has to be built.
    /// - Throws: `callback` (593) inside `read`, `inUse` (423), `full` (507).
    @discardableResult
    public func setMap(
        version: String,
        documentType: String? = nil,
        collation: ViewCollation = .unicode,
        reduce: Reduce? = nil,
        _ map: @escaping @Sendable (MapDocument, MapEmitter) throws -> Void
    ) throws(StorageError) -> Bool {
        let function = ViewFunction(
            version: IndexVersion(closure: version, documentType: documentType, collation: collation),
            documentType: documentType,
            collation: collation,
            map: .closure(map),
            reduce: reduce
        )
        return try set(function, definition: nil)
    }

    /// Stores a definition in the database, replacing whatever the view was before. Every program can then query it.
    ///
    /// - Returns: whether a new index has to be built.
    /// - Throws: `badParameter` (495) if it has no key, or names an unknown reduce function; `readOnly` (403),
    ///   `callback` (593) inside `read`, `inUse` (423), `full` (507).
    @discardableResult
    public func define(_ definition: ViewDefinition) throws(StorageError) -> Bool {
        guard !database.isReadOnly else { throw .readOnly }
        return try set(try definition.function(), definition: definition)
    }

    /// Returns the definition that is stored in the database; nil if there is none.
    public func definition() throws(StorageError) -> ViewDefinition? {
        let name = try viewName()
        return try database.withReadTransaction { (transaction) throws(StorageError) in
            try ViewDefinition.load(name, in: transaction)
        }
    }

    /// The map function that this program has set, for use in another view for instance; nil if it has set none.
    /// `definition()` returns a stored definition.
    public var map: (@Sendable (MapDocument, MapEmitter) throws -> Void)? {
        get throws(StorageError) { try database.viewRegistry.lastSet(viewName())?.map.closure }
    }

    /// The reduce function that this program has set; nil if it has set none.
    public var reduce: Reduce? {
        get throws(StorageError) { try database.viewRegistry.lastSet(viewName())?.reduce }
    }

    /// The version of the map function that this program has set; nil if it has set none. `status()` has the version
    /// that was set last by any program.
    public var version: String? {
        get throws(StorageError) { try database.viewRegistry.lastSet(viewName())?.version.name }
    }

    func set(_ function: ViewFunction, definition: ViewDefinition?) throws(StorageError) -> Bool {
        let name = try viewName()
        let began = database.trace?.now
        let stored = definition.map { Array($0.json.description.utf8) }
        let (record, present) = try database.withReadTransaction {
            (transaction) throws(StorageError) -> (IndexRecord?, [UInt8]?) in
            (try IndexRecord.load(name, in: transaction), try transaction.info(ViewDefinition.infoKey(name)))
        }
        let isNew = record?.version != function.version
        let isStored = isNew || record?.derived != function.reduce?.identity || present != stored
        // A stored definition is read from the database each time, because another program may have changed it.
        try register(definition == nil ? function : nil, for: name) { () throws(StorageError) in
            guard !database.isReadOnly, isStored else { return }
            try database.change { (session) throws(StorageError) in
                for index in try IndexClaim.store(function, for: name, in: session) {
                    database.viewRegistry.setSummaryMark(nil, for: index)
                }
                try session.transaction.setInfo(stored, for: ViewDefinition.infoKey(name))
            }
        }
        if let trace = database.trace, let began {
            trace.viewDefined(name.string.utf8, isNew: isNew, reduces: function.reduce != nil, began: began)
        }
        return isNew
    }

    /// Remembers the map function of this program if the commit that makes it count succeeds.
    private func register(
        _ function: ViewFunction?,
        for name: IndexName,
        storing store: () throws(StorageError) -> Void
    ) throws(StorageError) {
        let (registry, indexes) = (database.viewRegistry, database.indexRegistry)
        let number = registry.prepare(function, for: name)
        @Sendable func settle(isTaken: Bool) {
            if registry.settle(number, for: name, isTaken: isTaken) { indexes.forget(name) }
        }
        do throws(StorageError) {
            try store()
        } catch {
            settle(isTaken: false)
            throw error
        }
        if case .write(let session) = database.threadActivity {
            session.whenEnded { committed in settle(isTaken: committed) }
        } else {
            settle(isTaken: true)
            // If the database already knew the version, nothing was committed.
            database.didChangeViews()
        }
    }

    /// Returns the state of the view and its index; nil if there is no such view.
    public func status() throws(StorageError) -> ViewStatus? {
        let name = try viewName()
        return try database.withReadTransaction { (transaction) throws(StorageError) -> ViewStatus? in
            try ViewStatus(name, of: database, in: transaction)
        }
    }

    /// Updates the index: indexes what has changed since the last time, or everything. Waits if another thread is
    /// already doing so. After an interruption of any kind, the next update continues where this one ended.
    ///
    /// Inside a transaction the index follows the transaction.
    ///
    /// - Throws: `notFound` (404) if the view has no map function in this program and no stored definition;
    ///   `superseded` (412); `readOnly` (403); `callback` (593) inside `read`; `inUse` (423), `full` (507).
    /// - Complexity: O(changed documents); memory does not depend on their number.
    public func updateIndex() throws(StorageError) { try database.updateIndexes(of: [name]) }

    /// Removes the rows of the index. The next query builds it again.
    ///
    /// - Throws: `readOnly` (403), `callback` (593) inside `read`, `inUse` (423), `full` (507).
    public func deleteIndex() throws(StorageError) {
        let name = try viewName()
        let began = database.trace?.now
        try database.change { (session) throws(StorageError) in
            try IndexClaim.removeRows(of: name, in: session)
        }
        if let trace = database.trace, let began { trace.viewDeleted(name.string.utf8, isDeleted: false, began: began) }
    }

    /// Removes the view: its index, its definition, and the map function of this program. Does nothing if there is no
    /// such view.
    ///
    /// - Throws: as `deleteIndex`.
    public func delete() throws(StorageError) {
        let name = try viewName()
        let began = database.trace?.now
        try register(nil, for: name) { () throws(StorageError) in
            try database.change { (session) throws(StorageError) in
                try session.transaction.setInfo(nil, for: ViewDefinition.infoKey(name))
                try IndexClaim.remove(name, in: session)
            }
        }
        if let trace = database.trace, let began { trace.viewDeleted(name.string.utf8, isDeleted: true, began: began) }
    }
}
