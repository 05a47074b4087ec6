internal import SetteeEncryption
internal import SetteeStorageFiles
internal import StorageProtocol

/// Rewrites an open database, with another engine or other keys, and switches to the new generation in one step.
///
/// Contents come first, if they change, while writers can continue. Then writers wait while everything else is copied
/// and verified. docs/guide/migration.md has the steps.
final class DatabaseConversion {
    let database: Database
    let folder: DatabaseFolder
    var target: ConversionTarget
    private let progress: (ConversionProgress) -> Void
    /// The names of contents in the next generation, by their names in the current one.
    var names: [String: String] = [:]
    /// How many bytes of contents were transferred, and the total.
    var contents: (done: UInt64, total: UInt64) = (0, 0)
    private var phase = ConversionProgress.Phase.attachments
    private var phaseStart = ContinuousClock.now
    /// Whether the copy lacks indexes.
    var hasOmitted = false
    /// Whether it continues a killed conversion.
    var isResumed = false
    /// Whether the switch is next. After that, nothing starts over.
    var isBuilt = false
    private let gate = ThreadContext.current.gate

    init(
        of database: Database,
        to target: ConversionTarget,
        progress: @escaping (ConversionProgress) -> Void
    ) throws(StorageError) {
        guard let folder = database.folder else {
            throw StorageError(
                .notImplemented,
                "A database in memory has no files. Export its documents and import them elsewhere."
            )
        }
        self.database = database
        self.folder = folder
        self.target = target
        self.progress = progress
    }

    func run() throws(StorageError) {
        try database.requireNothingLost()
        try folder.requireAlone()
        try database.compactor.pausing { () throws(StorageError) in
            guard database.setup.hasKeys(of: target.source) else { throw Database.keyHasChanged }
            try folder.keepOthersAway()
            defer { folder.letOthersIn() }
            if try goOn() { return }
            // It has another target, or belongs to another state of the database or another boot of the system.
            folder.dropEarlierConversion()
            try requireSpace()
            try build(try folder.prepareGeneration(blobs: target.hasOtherContents ? .build : .keep))
        }
    }

    func build(_ staged: StagedGeneration) throws(StorageError) {
        do throws(StorageError) {
            if isResumed { try requireSpace(besides: staged.bytesOnDisk()) }
            if target.hasOtherContents { try bringContents(to: staged) }
            try switchOver(staged)
        } catch {
            // Does nothing after the switch.
            staged.discard()
            throw error
        }
    }

    /// - Parameter present: Bytes that are already written.
    private func requireSpace(besides present: UInt64 = 0) throws(StorageError) {
        let generation = try database.enter()
        defer { database.leave(generation) }
        var found: (bytes: UInt64, count: UInt64) = (0, 0)
        if target.hasOtherContents {
            found = try generation.engine.read { (transaction) throws(StorageError) in
                try DatabaseConversion.contents(in: transaction)
            }
            contents.total = found.bytes
        }
        let figures = try generation.engine.statistics()
        let needed = target.bytesNeeded(
            figures,
            compression: generation.engine.compression,
            contents: found
        )
        try database.compactor.space.require(needed - min(needed, present), at: folder.path)
    }

    /// Returns the total bytes and the number of the contents that are referenced.
    static func contents(in transaction: any ReadTransaction) throws(StorageError) -> (bytes: UInt64, count: UInt64) {
        var sum: UInt64 = 0
        var count: UInt64 = 0
        try transaction.orderedBlobReferences { (reference) throws(StorageError) in
            guard reference.count > 0 else { return true }
            // A sum that overflows is more than any disk has.
            count += 1
            let (next, overflow) = sum.addingReportingOverflow(reference.length)
            sum = overflow ? .max : next
            return true
        }
        return (sum, count)
    }

    // MARK: - Contents

    /// Encrypts or decrypts the contents that one snapshot refers to. Contents never change, so writers can continue.
    private func bringContents(to staged: StagedGeneration) throws(StorageError) {
        begin(.attachments)
        try database.withReadGeneration(readsBlobs: true, beginsAtOnce: true) {
            (transaction, generation) throws(StorageError) in
            try note(staged, transaction.counters().changeCounter)
            try bring(from: transaction, generation, to: staged)
        }
    }

    private func bring(
        from transaction: any ReadTransaction,
        _ generation: OpenGeneration,
        to staged: StagedGeneration
    ) throws(StorageError) {
        guard let directory = staged.blobDirectory else { return }
        var contents = try BlobImport(
            from: generation.blobs.files(),
            to: directory,
            codec: target.setup.codec,
            goesOn: isResumed
        )
        try transaction.orderedBlobReferences { (reference) throws(StorageError) in
            guard reference.count > 0, names[reference.storageName] == nil else { return true }
            names[reference.storageName] = try contents.bring(reference.storageName) { (bytes) throws(StorageError) in
                try requireGoingOn()
                self.contents.done += bytes
                // Contents added since the beginning are not in the total.
                self.contents.total = max(self.contents.total, self.contents.done)
                let share = Double(self.contents.done) / Double(max(1, self.contents.total))
                tell(documents: 0, self.contents.done, share: share)
            }
            return true
        }
        try contents.sync()
    }

    // MARK: - Data

    private func switchOver(_ staged: StagedGeneration) throws(StorageError) {
        try database.withoutWriters { () throws(StorageError) in
            try folder.lockWriter(timeout: database.busyTimeout)
            defer { folder.unlockWriter() }
            let generation = try database.enter()
            defer { database.leave(generation) }
            let sums = try copy(generation, to: staged)
            let durability = database.durability
            let engine = try target.setup.openCopy(in: staged.dataDirectory, durability: durability)
            do throws(StorageError) {
                try verify(engine, against: sums, of: generation, in: staged)
                isBuilt = true
                try take(staged, engine, generation.engine, sums.counters)
            } catch {
                engine.close()
                throw error
            }
            // An opener may have requested a higher durability in the meantime.
            if database.durability != durability { try engine.raiseDurability() }
            database.store.reclaimer.note()
            if hasOmitted { database.changeFeed.didChangeViews() }
        }
    }

    private func copy(_ generation: OpenGeneration, to staged: StagedGeneration) throws(StorageError) -> StoreSums {
        let (store, present) = try openStore(in: staged)
        defer { store.close() }
        guard store.blobStore == nil else { throw ConversionRequest.noFiles }
        return try generation.engine.read { (transaction) throws(StorageError) in
            let counter = try transaction.counters().changeCounter
            // There was a write while contents were checked.
            if let earlier = target.earlier, earlier.note.changeCounter != counter { throw CompactionRun.overtaken }
            try note(staged, counter)
            // Contents that were added since the others were transferred.
            if target.hasOtherContents { try bring(from: transaction, generation, to: staged) }
            begin(.data)
            let sink = StoreSink(store)
            let names = target.hasOtherContents ? names : nil
            let transfer = StoreTransfer(
                from: transaction,
                to: sink,
                names: names,
                after: present,
                indexKeeper: database.store.indexKeeper
            ) { (transfer) throws(StorageError) in
                try self.note(transfer)
            }
            do throws(StorageError) {
                try transfer.run()
            } catch {
                sink.cancel()
                throw error
            }
            try store.checkpoint()
            end(transfer)
            hasOmitted = !transfer.omitted.isEmpty
            return transfer.sums
        }
    }

    private func take(
        _ staged: StagedGeneration,
        _ engine: any StorageEngine,
        _ old: any StorageEngine,
        _ counters: StoreCounters
    ) throws(StorageError) {
        let members = try target.members(after: folder.manifest.members)
        let retired = try folder.switchTo(
            staged,
            members: members,
            seal: target.setup.keys?.seal(of: members.databaseUUID),
            sharing: target.setup.capabilities.sharing
        ) { () throws(StorageError) in
            // No other process has the database open now, and none can open it.
            guard try old.counters() == counters else { throw CompactionRun.overtaken }
        }
        let name = database.name
        if let warning = folder.privacyWarning { Log.log(.warning, .storage, "\(name): \(warning)") }
        database.replaceEngine(by: engine, target.setup) {
            old.close()
            do throws(StorageError) {
                try retired.delete()
            } catch {
                Log.log(
                    .error,
                    .storage,
                    "\(name): its old files are still there, and go when it is opened next: \(error.message)"
                )
            }
        }
    }

    // MARK: - Progress

    func begin(_ phase: ConversionProgress.Phase) {
        self.phase = phase
        phaseStart = .now
        tell(documents: 0, 0, share: 0)
    }

    func requireGoingOn() throws(StorageError) {
        try gate?.check()
        try database.compactor.requireOpen()
    }

    func note(_ transfer: StoreTransfer) throws(StorageError) {
        try requireGoingOn()
        try database.compactor.space.requireRest(at: folder.path)
        let sums = transfer.sums
        tell(
            documents: sums.records.count,
            transfer.bytes,
            share: Double(transfer.sequence) / Double(max(1, sums.counters.lastSequence))
        )
    }

    func end(_ transfer: StoreTransfer) {
        tell(documents: transfer.sums.records.count, transfer.bytes, share: 1)
    }

    private func tell(documents: UInt64, _ bytes: UInt64, share: Double) {
        let state = ConversionProgress(
            phase: phase,
            documents: documents,
            bytes: bytes,
            share: min(1, share),
            elapsed: .now - phaseStart,
            isResumed: isResumed
        )
        database.withClosure("progress") { progress(state) }
    }
}
