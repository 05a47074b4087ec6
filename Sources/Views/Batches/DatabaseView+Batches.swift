internal import SetteeEngine
internal import SetteeIndexes
package import StorageProtocol

/// For modules whose map functions get many documents at a time.
extension DatabaseView {
    /// Sets the map function, like `setMap(version:documentType:collation:reduce:_:)`.
    ///
    /// - Parameter batch: its identity counts in `isSet(to:)`, and it must not hold the database.
    /// - Returns: whether a new index has to be built.
    /// - Throws: as the other form.
    @discardableResult
    package func setMap(
        version: String,
        documentType: String? = nil,
        collation: ViewCollation = .unicode,
        reduce: Reduce? = nil,
        options: BatchOptions = [],
        batch: any BatchMapper
    ) throws(StorageError) -> Bool {
        let function = ViewFunction(
            version: IndexVersion(batch: version, documentType: documentType, collation: collation),
            documentType: documentType,
            collation: collation,
            map: .batch(BatchMap(mapper: batch, options: options)),
            reduce: reduce
        )
        return try set(function, definition: nil)
    }

    /// Returns whether this program has set `mapper` last, and its version and reduce function are those that count.
    package func isSet(to mapper: any BatchMapper) throws(StorageError) -> Bool {
        let name = try viewName()
        guard let function = database.viewRegistry.lastSet(name), case .batch(let batch) = function.map,
            batch.mapper === mapper
        else { return false }
        if database.isReadOnly { return true }
        return try database.withReadTransaction { (transaction) throws(StorageError) in
            let record = try IndexRecord.load(name, in: transaction)
            let definition = try transaction.info(ViewDefinition.infoKey(name))
            return record?.version == function.version && record?.derived == function.reduce?.identity
                && definition == nil
        }
    }

    /// Returns whether there is such a view, and its map function does not get many documents at a time.
    package func isSetWithoutBatches() throws(StorageError) -> Bool {
        let name = try viewName()
        return try database.withReadTransaction { (transaction) throws(StorageError) in
            if let function = try database.viewFunction(name, in: transaction) { return !function.version.isOfBatches }
            return try IndexRecord.load(name, in: transaction).map { !$0.version.isOfBatches } ?? false
        }
    }

    /// Forgets the functions that this program has set.
    package func unset() throws(StorageError) { try database.setViewFunction(nil, for: viewName()) }

    /// Returns whether a thread of this process brings the index up to date now.
    package func isUpdating() throws(StorageError) -> Bool { database.indexRegistry.turn(try viewName()).isTaken }
}

extension Database {
    /// Returns the names of the views whose map functions get many documents at a time, whichever program has set them,
    /// in the order of their bytes.
    package func batchViewNames() throws(StorageError) -> [String] {
        try withReadTransaction { (transaction) throws(StorageError) in
            var names: [IndexName] = []
            for (key, _) in try transaction.allInfo() {
                guard let name = IndexName(recordKey: key, of: ViewKind()),
                    try IndexRecord.load(name, in: transaction)?.version.isOfBatches == true
                else { continue }
                names.append(name)
            }
            return names.sorted().map(\.string)
        }
    }
}
