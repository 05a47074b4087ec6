public import SetteeEngine
internal import StorageProtocol
internal import Synchronization

extension Model {
    /// Whether edits are saved by themselves: once for a burst of them, shortly after it (`ModelContext.autosaveDelay`).
    /// False in a new model.
    public var autosaves: Bool {
        get { state.withLock { $0.autosaves } }
        set {
            let needsSave = state.withLock { state in
                state.autosaves = newValue
                return state.needsSave
            }
            if newValue, needsSave { context.noteChange(of: self, autosaves: true) }
        }
    }

    /// Saves the edits, or a new document; calls `willSave` before. A model without edits is not saved again.
    ///
    /// Joins the calling thread's transaction. If that is rolled back, the edits count as unsaved again.
    ///
    /// - Returns: the new revision, nil where there was nothing to save.
    /// - Throws: what `willSave` throws; `EncodingError` for a value without JSON form; `conflict` (409) where somebody
    ///   else saved the document since it was read (`reload` takes theirs up and keeps the edits, then save again);
    ///   `deleted` (496) after `delete`; the errors of `Document.put`.
    @discardableResult
    public func save() throws -> SavedRevision? {
        try context.save([self]).first ?? nil
    }

    /// Deletes the document, with `propertiesToSaveForDeletion` in its tombstone. Unsaved edits are lost, and the model
    /// must not be saved any more. A document that was never saved, or that somebody deleted already, is no error.
    ///
    /// - Throws: what `propertiesToSaveForDeletion` throws; `conflict` (409) where somebody else saved the document
    ///   since it was read; the errors of `Document.put`.
    public func delete() throws {
        let database = try context.database()
        try database.inTransaction {
            let known = state.withLock { $0.revision }
            if let known, try document.exists {
                if try document.documentID().isLocal {
                    try document.delete(parent: known)
                } else {
                    var tombstone = try propertiesToSaveForDeletion()
                    tombstone["_deleted"] = true
                    try document.put(tombstone, parent: known)
                }
            }
            let before = state.withLock { state in
                let before = state
                state.openSaves += 1
                state.staged = []
                state.base = JSONObject()
                _ = state.replace(JSONObject())
                state.revision = nil
                state.isDeleted = true
                state.isDismissed = true
                return before
            }
            try whenTransactionEnds(in: database) { committed in
                self.state.withLock { state in
                    let open = state.openSaves - 1
                    if !committed { state = before }
                    state.openSaves = open
                }
            }
        }
    }

    /// Takes up the document's current revision. Unsaved edits stay and are laid over it, property by property; where the
    /// document is gone, a model with edits counts as a new document.
    ///
    /// - Throws: the errors of reading.
    public func reload() throws {
        let current = try SavedContents(of: document)
        take(current)
    }

    /// Makes a change that cannot be overtaken: in one transaction takes up the current revision, runs `change`, and
    /// saves. Where this throws, the properties are as they were before.
    ///
    /// - Parameter change: edits this model. It must not call the database (593).
    /// - Throws: what `change` and `willSave` throw; the errors of `save` but for `conflict`.
    @discardableResult
    public func update(_ change: () throws -> Void) throws -> SavedRevision? {
        let database = try context.database()
        let before = state.withLock { $0 }
        do {
            return try database.inTransaction {
                try reload()
                try database.withClosure("update", change)
                return try save()
            }
        } catch {
            state.withLock { state in
                let open = state.openSaves
                state = before.withoutDecoded
                state.openSaves = open
            }
            context.settle(self)
            throw error
        }
    }

    /// Takes up what the database holds, where there are no edits that somebody could miss.
    func refresh() throws(StorageError) {
        let known = state.withLock { $0.needsSave || $0.openSaves > 0 ? nil : ($0.revision, $0.isDeleted) }
        guard let known else { return }
        let current = try SavedContents(of: document)
        // A save of our own may have come between, and what was read is no news then.
        take(current) { !$0.needsSave && $0.revision == known.0 && $0.isDeleted == known.1 && $0.openSaves == 0 }
    }

    /// Takes up `current` where it is news.
    private func take(_ current: SavedContents, if allowed: (ModelState) -> Bool = { _ in true }) {
        let isNews = state.withLock { state -> Bool in
            guard !state.isDismissed, allowed(state),
                state.revision != current.revision || state.isDeleted != current.isDeleted
            else { return false }
            state.rebase(onto: current)
            return true
        }
        guard isNews else { return }
        context.settle(self)
        didReload()
    }

    /// Saves inside the calling thread's transaction.
    func saveInTransaction() throws -> SavedRevision? {
        let type = context.typeName(of: self)
        let begun = state.withLock { state -> Result<PropertyNames?, StorageError> in
            guard !state.isDismissed else { return .failure(Model.dismissed) }
            // Only `willSave` can have come here a second time: other threads wait for their transaction.
            guard !state.isSaving else { return .success(nil) }
            guard state.isNew || state.needsSave else { return .success(nil) }
            if let type, state.properties["type"] == nil { _ = state.set("type", .string(type)) }
            state.isSaving = true
            return .success(state.changedNames)
        }
        guard let names = try begun.get() else { return nil }
        defer { state.withLock { $0.isSaving = false } }

        try willSave(changedNames: names)
        let (properties, parent) = try state.withLock { state in
            if let failure = state.failure { throw failure }
            return (state.properties, state.revision)
        }
        let saved = try document.put(properties, parent: parent)
        // The database may have written attachments' entries in another form.
        let written = properties["_attachments"] == nil ? properties : try saved.properties
        let before = state.withLock { state in
            let before = (base: state.base, revision: state.revision, isDeleted: state.isDeleted)
            if state.properties == properties { _ = state.replace(written, decoded: state.decoded) }
            state.base = written
            state.revision = saved.id
            state.isDeleted = false
            state.openSaves += 1
            return before
        }
        try whenTransactionEnds(in: document.database) { committed in
            self.state.withLock { state in
                state.openSaves -= 1
                guard !committed else {
                    if !state.needsSave { state.staged = [] }
                    return
                }
                // Contents that are only staged are not to be had by a stub.
                if state.properties["_attachments"] == written["_attachments"] {
                    _ = state.set("_attachments", properties["_attachments"])
                }
                state.base = before.base
                state.revision = before.revision
                state.isDeleted = before.isDeleted
            }
        }
        return saved
    }

    private func whenTransactionEnds(in database: Database, _ body: @escaping (Bool) -> Void) throws(StorageError) {
        try database.whenTransactionEnds { committed in
            body(committed)
            self.context.settle(self)
        }
    }

    private static var dismissed: StorageError {
        StorageError(.deleted, "The model was deleted. Ask for the document again to write a new one.")
    }
}

extension ModelState {
    /// The same, to be decoded again.
    var withoutDecoded: ModelState {
        var copy = self
        copy.decoded = nil
        return copy
    }
}
