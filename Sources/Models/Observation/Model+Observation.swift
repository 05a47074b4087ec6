public import Observation
internal import StorageProtocol

// Observers are called after a change, outside all locks. They see the new value when they read it again at once, on
// any thread, and they may call the model and the database.
extension Model: Observable {
    /// Changes the state and reports the changes to observers.
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

    /// Notes that the value of a key path is being read. `changedNames` is observed through `needsSave`; `isNew` and
    /// `isDeleted` through `revisionID`.
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
