public import Observation
internal import StorageProtocol

// Observers are told after a change, outside of all locks: who looks again at once, on whatever thread, sees the new
// value, and may call the model and the database.
extension Model: Observable {
    /// Changes the state, and tells observers of it.
    func change<R, E: Error>(_ body: (inout ModelState) throws(E) -> R) throws(E) -> R {
        var changes = ModelChanges()
        defer { if !changes.isEmpty { tell(of: changes) } }
        return try state.withLock { (state) throws(E) in
            defer {
                changes = state.changes
                state.changes = ModelChanges()
            }
            return try body(&state)
        }
    }

    /// Somebody reads what a key path names. `changedNames` goes by `needsSave`; `isNew` and `isDeleted` by
    /// `revisionID`.
    func noteRead<Member>(_ keyPath: KeyPath<Model, Member>) { observers.access(self, keyPath: keyPath) }

    private func tell(of changes: ModelChanges) {
        if !changes.names.isEmpty || changes.isWhole {
            for name in ObservedName.changed(changes.names) { tell(name.keyPath) }
            if changes.names.contains("_attachments") { tell(\.attachmentNames) }
            tell(\.properties)
        }
        if changes.areEdits { tell(\.needsSave) }
        if changes.isStatus { tell(\.revisionID) }
    }

    private func tell<Member>(_ keyPath: KeyPath<Model, Member>) {
        observers.withMutation(of: self, keyPath: keyPath) {}
    }
}
