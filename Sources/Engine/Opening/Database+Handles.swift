package import SetteeStorageFiles
internal import StorageProtocol

extension Database {
    package var folder: DatabaseFolder? { store.folder }
    /// Names the process that has the database to itself while this one reads it; nil if there is none.
    package var writerBeside: String? { folder?.writerBeside }
    /// Whether no other program has removed, moved or replaced the database's folder while it is open. Else every write
    /// fails (503).
    package var isInPlace: Bool { folder?.isInPlace ?? true }
    /// Whether there is nothing where the folder was.
    package var isFolderRemoved: Bool { folder?.isRemoved ?? false }
    /// The setup of the current generation, or of the last one once the database is closed.
    package var setup: StorageSetup { store.state.withLock { $0.setup } }
    var writers: WriterQueue { store.writers }
    var stagedAttachments: StagedAttachments { store.stagedAttachments }
    var expiry: ExpiryTimer { store.expiry }
    var compactor: Compactor { store.compactor }
    var changeFeed: ChangeFeed { store.changeFeed }
    var closed: Latch { store.closed }

    /// Returns a handle on this open database that fits `options`: this one, another one that was given out before, or
    /// else a new one.
    ///
    /// - Throws: `inUse` (423) if the options ask to write and the files are open read-only; what raising the
    ///   durability throws.
    func handle(for options: DatabaseOptions) throws(StorageError) -> Database {
        if isReadOnly, !options.readOnly {
            throw StorageError(.inUse, "This process has the database open read-only. Close that one first.")
        }
        if !options.readOnly, options.durability == .full { try raiseDurability() }
        return store.handles.withLock { handles in
            handles.removeAll { $0.database == nil }
            for known in handles {
                if let database = known.database, database.isOpen, database.gives(options) { return database }
            }
            let fresh = Database(
                sharing: self,
                isReadOnly: options.readOnly,
                busyTimeout: options.busyTimeout,
                mappingThreads: options.mappingThreads
            )
            handles.append(fresh.reference)
            return fresh
        }
    }

    private func gives(_ options: DatabaseOptions) -> Bool {
        isReadOnly == options.readOnly && busyTimeout == options.busyTimeout
            && (options.mappingThreads.map { max(1, $0) == mappingThreads } ?? true)
    }

    /// Makes commits survive a power loss from now on.
    private func raiseDurability() throws(StorageError) {
        if durability == .full { return }
        let generation = try enter()
        defer { leave(generation) }
        // A rewrite that ends in the meantime opens its files with this value.
        store.durability.withLock { $0 = .full }
        do throws(StorageError) {
            try generation.engine.raiseDurability()
        } catch {
            store.durability.withLock { $0 = .normal }
            throw error
        }
    }
}
