internal import SetteeDocumentValues
public import SetteeEngine
internal import StorageProtocol

extension Model {
    /// Whether edits are saved automatically: once for a series of them, shortly after it
    /// (`ModelContext.autosaveDelay`). False in a new model.
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

    /// Saves the edits, or a new document. Calls `willSave` before. A model without edits is not saved again.
    ///
    /// Joins the calling thread's transaction. If that is rolled back, the edits are unsaved again.
    ///
    /// - Returns: the new revision; nil if there was nothing to save.
    /// - Throws: what `willSave` throws; `EncodingError` for a value without JSON form; `conflict` (409) if the
    ///   document was saved by other code since it was read (`reload` takes that revision and keeps the edits; then
    ///   save again); `deleted` (496) after `delete`; the errors of `Document.put`.
    @discardableResult
    public func save() throws -> SavedRevision? {
        try context.save([self]).first ?? nil
    }

    /// Deletes the document, with `propertiesToSaveForDeletion` in its tombstone. Unsaved edits are lost, and the model
    /// must not be saved any more. A document that was never saved, or is already deleted, is no error.
    ///
    /// - Throws: what `propertiesToSaveForDeletion` throws; `conflict` (409) if the document was saved by other code
    ///   since it was read; the errors of `Document.put`.
    public func delete() throws {
        let database = try context.database()
        try database.inTransaction {
            // Only `propertiesToSaveForDeletion` can come here a second time.
            let isFirst = state.withLock { state in
                defer { state.isDeleting = true }
                return !state.isDeleting
            }
            guard isFirst else { return }
            defer { state.withLock { $0.isDeleting = false } }
            try putTombstone()
            let before = change { state in
                let before = state
                state.dismiss()
                state.openSaves += 1
                return before
            }
            try whenTransactionEnds(in: database) { state, committed in
                if !committed { state.restore(before) }
            }
        }
    }

    private func putTombstone() throws {
        guard revisionID != nil, try document.exists else { return }
        if try document.documentID().isLocal {
            try document.delete(parent: revisionID)
        } else {
            var tombstone = try propertiesToSaveForDeletion()
            tombstone["_deleted"] = true
            // The hook may have saved.
            try document.put(tombstone, parent: revisionID)
        }
    }

    /// Takes the current revision of the document. Unsaved edits are kept and applied to it, property by property and
    /// attachment by attachment: what this model set or removed stays so, everything else is as in the new revision. If
    /// the document is gone, a model with edits counts as a new document; of its attachments it keeps those that it set
    /// itself.
    ///
    /// - Throws: the errors of reading.
    public func reload() throws {
        let database = try context.database()
        var isTaken = false
        while !isTaken {
            let known = state.withLock { ($0.revision, $0.isDeleted, $0.openSaves) }
            let current = try SavedContents(of: document)
            isTaken = true
            take(current) { state in
                // After a save in between, what was read may be older than what the model has.
                isTaken = state.revision == known.0 && state.isDeleted == known.1 && state.openSaves == known.2
                // What another thread's transaction has saved, and not committed yet, is newer too.
                return isTaken && (known.2 == 0 || database.isWrittenByThisThread)
            }
        }
    }

    /// Makes a change that cannot conflict: in one transaction it takes the current revision, runs `change`, and saves.
    /// If it throws, the properties are as they were before.
    ///
    /// - Parameter change: edits this model. It must not call the database (593).
    /// - Throws: what `change` and `willSave` throw; the errors of `save` except `conflict`.
    @discardableResult
    public func update(_ change: () throws -> Void) throws -> SavedRevision? {
        let database = try context.database()
        // Nil where there is nothing to undo, or it is undone.
        var before: ModelState?
        do {
            return try database.inTransaction {
                let known = state.withLock { $0 }
                do {
                    try reload()
                    try database.withClosure("update", change)
                    let saved = try save()
                    before = known
                    return saved
                } catch {
                    // Inside the transaction: the next one may begin with what this one leaves.
                    self.change { $0.restore(known) }
                    throw error
                }
            }
        } catch {
            if let before { self.change { $0.restore(before) } }
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
    private func take(_ current: SavedContents, if allowed: (ModelState) -> Bool) {
        let outcome = change { state -> (isEdited: Bool, autosaves: Bool)? in
            guard !state.isDismissed, allowed(state),
                state.revision != current.revision || state.isDeleted != current.isDeleted
            else { return nil }
            state.rebase(onto: current)
            return (state.needsSave, state.autosaves)
        }
        guard let outcome else { return }
        // What was refused because of others' changes is saved now.
        if outcome.isEdited && outcome.autosaves {
            context.noteChange(of: self, autosaves: true)
        } else {
            context.settle(self)
        }
        didReload()
    }

    /// Saves inside the calling thread's transaction.
    func saveInTransaction() throws -> SavedRevision? {
        let type = context.typeName(of: self)
        let begun = change { state -> Result<PropertyNames?, StorageError> in
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

        do {
            try willSave(changedNames: names)
        } catch {
            state.withLock { $0.attempt = $0.version }
            throw error
        }
        let outgoing = try state.withLock { state -> (JSONObject, RevisionID?, [StagedAttachment])? in
            state.attempt = state.version
            if let failure = state.failure { throw failure }
            // The hook may have deleted the document or taken the edits back.
            guard !state.isDismissed, state.isNew || state.needsSave else { return nil }
            return (state.properties, state.revision, state.staged)
        }
        guard let (sent, parent, contents) = outgoing else { return nil }
        // Another thread may give an attachment a new content meanwhile, and let go of the one that is being saved.
        let saved = try withExtendedLifetime(contents) { try document.put(sent, parent: parent) }
        // The database may have written attachments' entries in another form.
        let stored = sent.attachments.isEmpty ? sent : try saved.properties
        let before = change { state in
            let before = state
            // First: what a rollback needs again is kept from now on.
            state.openSaves += 1
            state.noteSave(of: sent, as: saved.id, stored)
            return (base: before.base, revision: before.revision, isDeleted: before.isDeleted)
        }
        try whenTransactionEnds(in: document.database) { state, committed in
            if !committed {
                // Contents that are only staged are not to be had by a stub.
                state.exchangeAttachments(stored.attachments, by: sent.attachments)
                state.undoSave(to: before.base, before.revision, isDeleted: before.isDeleted)
            }
        }
        return saved
    }

    private func whenTransactionEnds(
        in database: Database,
        _ body: @escaping (inout ModelState, _ committed: Bool) -> Void
    ) throws(StorageError) {
        try database.whenTransactionEnds { committed in
            self.change { state in
                body(&state, committed)
                state.openSaves -= 1
                state.dropUnusedContents()
            }
            self.context.settle(self)
        }
    }

    private static var dismissed: StorageError {
        StorageError(.deleted, "The model was deleted. Ask for the document again to write a new one.")
    }
}

extension Database {
    fileprivate var isWrittenByThisThread: Bool {
        if case .write? = ThreadContext.current.activity(on: self) { true } else { false }
    }
}
