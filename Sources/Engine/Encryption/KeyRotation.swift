internal import SetteeEncryption
internal import SetteeStorageFiles
internal import StorageProtocol

/// Writes an encrypted database anew under a new data key, its data and its attachments' contents, and takes that as one switch of
/// generations.
///
/// Contents come first, beside writers. Then writers wait, while the data is copied and what has come since is brought.
final class KeyRotation {
    private let database: Database
    private let folder: DatabaseFolder
    private let next: StorageSetup
    /// The slot that the next manifest has.
    private let slot: KeySlot
    private let progress: (RekeyProgress) -> Void
    /// The names of contents in the next generation, by those in this one.
    private var names: [String: String] = [:]
    private var state = RekeyProgress(phase: .attachments, done: 0, total: 0)

    /// Derives the key: not to be called under a lock.
    init(of database: Database, to key: StorageKey, progress: @escaping (RekeyProgress) -> Void) throws(StorageError) {
        let old = database.setup
        guard let folder = database.folder, let keys = old.keys else {
            throw StorageError(.badParameter, "The database is not encrypted: it has no key to be changed.")
        }
        let new = try NewKeys(for: key, cipher: keys.member.cipher)
        let ring = KeyRing(new.generation.dataKey, slots: KeySlots([new.slot.text]), openedWith: key)
        self.database = database
        self.folder = folder
        self.progress = progress
        next = old.with(new.generation, ring)
        slot = new.slot
    }

    func run() throws(StorageError) {
        try folder.requireAlone()
        let staged = try folder.prepareGeneration(blobs: .build)
        guard let directory = staged.blobDirectory else {
            throw StorageError(.unexpected, "There is no folder for the contents of attachments.")
        }
        do throws(StorageError) {
            try bringContents(to: directory)
            try switchOver(staged, directory)
        } catch {
            // After the switch this does nothing.
            staged.discard()
            throw error
        }
    }

    /// Encrypts what one snapshot refers to. Contents never change, so others may write meanwhile.
    private func bringContents(to directory: String) throws(StorageError) {
        try database.withReadGeneration(readsBlobs: true, beginsAtOnce: true) {
            (transaction, generation) throws(StorageError) in
            var found: [String] = []
            try transaction.orderedBlobReferences { (reference) throws(StorageError) in
                guard reference.count > 0 else { return true }
                found.append(reference.storageName)
                // A sum that is too large is more than any disk has.
                let (total, overflow) = state.total.addingReportingOverflow(reference.length)
                state.total = overflow ? .max : total
                return true
            }
            let figures = try generation.engine.statistics()
            try database.compactor.space.require(figures, contents: state.total, at: folder.path)
            try bring(found, from: try generation.blobs.files(), to: directory)
        }
    }

    private func bring(
        _ wanted: [String],
        from files: FileBlobStore,
        to directory: String
    ) throws(StorageError) {
        let gate = ThreadContext.current.gate
        var contents = try BlobImport(from: files, to: directory, codec: next.codec)
        for name in wanted where names[name] == nil {
            names[name] = try contents.bring(name) { (bytes) throws(StorageError) in
                try gate?.check()
                state.done += bytes
                // What has come since it began is more than the total.
                state.total = max(state.total, state.done)
                progress(state)
            }
        }
        try contents.sync()
    }

    private func switchOver(_ staged: StagedGeneration, _ directory: String) throws(StorageError) {
        try database.withoutWriters { () throws(StorageError) in
            try folder.requireAlone()
            try folder.lockWriter(timeout: database.busyTimeout)
            defer { folder.unlockWriter() }
            let generation = try database.enter()
            defer { database.leave(generation) }
            let old = generation.engine
            let gate = ThreadContext.current.gate
            let before = try old.counters()
            try old.copy(toDirectory: staged.dataDirectory, options: next.copyOptions) {
                (done, total) throws(StorageError) in
                try gate?.check()
                progress(RekeyProgress(phase: .data, done: done, total: total))
            }
            let engine = try next.openCopy(in: staged.dataDirectory, durability: database.durability)
            do throws(StorageError) {
                guard try engine.counters() == before else {
                    throw StorageError(
                        .unexpected,
                        "The new files do not hold what the old ones do; they were not taken."
                    )
                }
                try rename(in: engine, from: try generation.blobs.files(), to: directory)
                try engine.checkpoint()
                let retired = try take(staged, before, old)
                database.replaceEngine(by: engine, next) {
                    old.close()
                    // What cannot be deleted now is swept when the database is opened next.
                    try? retired.delete()
                }
            } catch {
                engine.close()
                throw error
            }
        }
    }

    /// Gives the references their contents' new names, and brings those that have come since.
    private func rename(
        in engine: any StorageEngine,
        from files: FileBlobStore,
        to directory: String
    ) throws(StorageError) {
        var references: [BlobReference] = []
        try engine.read { (transaction) throws(StorageError) in
            try transaction.orderedBlobReferences { (reference) throws(StorageError) in
                references.append(reference)
                return true
            }
        }
        try bring(references.filter { $0.count > 0 }.map(\.storageName), from: files, to: directory)
        let names = names
        try engine.write { (transaction) throws(StorageError) in
            for var reference in references {
                // Nothing refers to a content whose count is 0, and it is not in the new generation.
                guard reference.count > 0, let name = names[reference.storageName] else {
                    try transaction.removeBlobReference(reference.digest)
                    continue
                }
                reference.storageName = name
                try transaction.setBlobReference(reference)
            }
        }
    }

    private func take(
        _ staged: StagedGeneration,
        _ before: StoreCounters,
        _ old: any StorageEngine
    ) throws(StorageError) -> RetiredGeneration {
        var members = folder.manifest.members
        guard let keys = next.keys else { throw StorageError(.unexpected, "There are no new keys.") }
        try members.encrypt(with: keys, slots: [slot.text])
        return try folder.switchTo(staged, members: members, seal: keys.seal(of: members.databaseUUID)) {
            () throws(StorageError) in
            // Nobody else has the database open now, and nobody can open it.
            guard try old.counters() == before else { throw CompactionRun.overtaken }
        }
    }
}
