internal import SetteeDocumentValues
public import SetteeEngine
package import SetteeIndexes
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
            for prefix in [InfoKey.indexRecordPrefix, ViewDefinition.infoPrefix] {
                if let name = IndexName(infoKey: key, prefix: prefix, of: ViewKind()) { names.insert(name) }
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
        var checked: [IndexName] = []
        for name in names { checked.append(try IndexName(view: name)) }
        try IndexUpdater(self, Set(checked).sorted(), cancellation: cancellation).run()
    }

    /// Returns the map function of a view: that of this program, or else that of the stored definition; nil if there is
    /// neither.
    func viewFunction(
        _ name: IndexName,
        in transaction: any ReadTransaction
    ) throws(StorageError) -> ViewFunction? {
        let set = try viewRegistry.function(name) { () throws(StorageError) in
            try IndexRecord.load(name, in: transaction)
        }
        if let set { return set }
        guard let text = try transaction.info(ViewDefinition.infoKey(name)) else { return nil }
        if let known = viewRegistry.storedFunction(name, of: text) { return known }
        let function = try ViewDefinition(stored: text, of: name).function()
        viewRegistry.keepStored(function, of: text, for: name)
        return function
    }

    /// Replaces the map function of this program, without a change of the view's record.
    func setViewFunction(_ function: ViewFunction?, for name: IndexName) {
        viewRegistry.set(function, for: name)
        indexRegistry.forget(name)
    }
}
