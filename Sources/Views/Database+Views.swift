internal import SetteeDocumentValues
public import SetteeEngine
public import StorageProtocol

extension Database {
    /// A handle for the view with a name, whether it exists or not.
    public func view(_ name: String) -> DatabaseView { DatabaseView(name, of: self) }

    /// The names of all views in the order of their bytes: those stored in the database, and those whose map functions
    /// this program has set.
    public func viewNames() throws(StorageError) -> [String] {
        let keys = try withReadTransaction { (transaction) throws(StorageError) in
            try transaction.allInfo().map(\.key)
        }
        var names = Set(viewRegistry.names)
        for key in keys {
            for prefix in [ViewRecord.infoPrefix, ViewDefinition.infoPrefix] {
                if let name = ViewName(infoKey: key, prefix: prefix) { names.insert(name) }
            }
        }
        return names.sorted().map(\.string)
    }

    /// Updates the indexes of several views in one pass over the documents.
    ///
    /// - Throws: as `DatabaseView.updateIndex`.
    public func updateIndexes(of names: [String]) throws(StorageError) {
        try updateIndexes(of: names, cancellation: nil)
    }

    /// - Parameter cancellation: ends the update after the current part of the documents; what was done is kept.
    package func updateIndexes(of names: [String], cancellation: Cancellation?) throws(StorageError) {
        var checked: [ViewName] = []
        for name in names { checked.append(try ViewName(name)) }
        try IndexUpdater(self, Set(checked).sorted(), cancellation: cancellation).run()
    }

    /// Returns the map function of a view: that of this program, or else that of the stored definition; nil if there is
    /// neither.
    func viewFunction(
        _ name: ViewName,
        in transaction: any ReadTransaction
    ) throws(StorageError) -> ViewFunction? {
        let set = try viewRegistry.function(name) { () throws(StorageError) in
            try ViewRecord.load(name, in: transaction)
        }
        if let set { return set }
        guard let text = try transaction.info(ViewDefinition.infoKey(name)) else { return nil }
        if let known = viewRegistry.storedFunction(name, of: text) { return known }
        let function = try ViewDefinition(stored: text, of: name).function()
        viewRegistry.keepStored(function, of: text, for: name)
        return function
    }

    /// The version of an order, which indexes are built for.
    func collationVersion(_ collation: ViewCollation) throws(StorageError) -> String {
        try collation.collator.version + sharedCompanion(CollationSuffix.self).text.withLock { $0 }
    }
}
