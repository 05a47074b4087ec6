public import StorageProtocol

extension Document {
    /// Reads the body (an empty object where the document is missing or deleted), lets `change` edit it, and saves it
    /// on top of what was read; where another writer came between, it starts again with the new body.
    ///
    /// `change` may therefore run more than once, and must not call the database (`callback`, 593).
    ///
    /// - Parameter change: edits the body. A closure that returns a `Bool` decides: nothing is saved where it is false.
    ///   (One generic method, since the compiler cannot tell closures of several statements apart by what they return.)
    /// - Returns: the new revision, nil where nothing was to be saved.
    /// - Throws: what `change` throws; `readOnly` (403), `tooLarge` (413), `inUse` (423), `badJSON` (493), `badID`
    ///   (494), `notOpen` (503), `callback` (593) inside `read` or another `update`. Never `conflict`.
    @discardableResult
    public func update<Outcome>(_ change: (inout JSONObject) throws -> Outcome) throws -> SavedRevision? {
        try updateRevision { try change(&$0.properties) }
    }

    /// As `update(_:)`, with the whole revision to edit: `isDeleted` makes a tombstone that keeps the properties.
    @discardableResult
    public func updateRevision<Outcome>(_ change: (inout UnsavedRevision) throws -> Outcome) throws -> SavedRevision? {
        while true {
            var revision = try newRevision()
            let outcome = try ThreadContext.current.with(.closure("update"), on: database) { try change(&revision) }
            if let save = outcome as? Bool, !save { return nil }
            let saved = Result { () throws(StorageError) in try revision.save() }
            switch saved {
            case .success(let revision):
                return revision
            case .failure(let error):
                let overtaken = error.code == .conflict || (error.code == .notFound && revision.parentID != nil)
                guard overtaken else { throw error }
            }
        }
    }
}
