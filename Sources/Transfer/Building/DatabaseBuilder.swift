internal import SetteeEncryption
package import SetteeEngine
internal import SetteeStorageFiles
package import StorageProtocol

/// Fills a new database with content from another source. Nothing else can open the database until it is complete: it
/// is built under a staging name, read once to verify it, and then renamed.
///
/// Belongs to one thread. Memory holds one document's tree and the changes of one transaction, which is committed once
/// it has written 16 MiB.
package final class DatabaseBuilder {
    private let engine: any StorageEngine
    let blobs: any BlobStore
    private var open: (any WriteTransaction)?
    private var pendingBytes = 0
    private var pendingChanges = 0
    /// What was added, to be compared with what is read at the end.
    var written = BuiltContents()

    /// A transaction ends after this many bytes, or this many changes.
    private static let bytesAtOnce = 16 << 20
    private static let changesAtOnce = 20_000

    private init(_ engine: any StorageEngine, _ blobs: any BlobStore) {
        self.engine = engine
        self.blobs = blobs
    }

    /// Creates a database at `path`.
    ///
    /// - Parameter fill: Adds the content. If it throws, nothing is left behind.
    /// - Throws: `exists` (412) if anything is at `path`; the errors of opening a new database; whatever `fill` throws;
    ///   `full` (507); `unexpected` (500) if what is read at the end is not what was added.
    package static func build<R>(
        at path: String,
        options: DatabaseOptions,
        engines: [any StorageEngineFactory],
        _ fill: (DatabaseBuilder) throws(StorageError) -> R
    ) throws(StorageError) -> R {
        try Log.holdingBack { () throws(StorageError) in
            guard case .occupied(let occupancy) = try OpenDatabases.occupy(path) else { throw alreadyThere(path) }
            defer { occupancy.release() }
            guard occupancy.folder == nil else { throw alreadyThere(path) }
            let new = try NewDatabase(options, engines: engines)
            var data = ""
            var result: R?
            try DatabaseFolder.create(
                at: path,
                members: new.members,
                seal: new.seal,
                willAppear: { occupancy.extend(to: $0) },
                prepare: { (directory) throws(StorageError) in data = directory },
                prepareBlobs: { (directory) throws(StorageError) in
                    result = try build(in: data, blobs: directory, new.setup, fill)
                }
            )
            guard let result else { throw StorageError(.unexpected, "Nothing was built.") }
            Log.log(.info, .database, "a database was built at '\(path)' (\(new.members.storageType))")
            return result
        }
    }

    private static func alreadyThere(_ path: String) -> StorageError {
        StorageError(.exists, "There is something at '\(path)' already. Choose another path, or remove it first.")
    }

    private static func build<R>(
        in data: String,
        blobs directory: String,
        _ setup: StorageSetup,
        _ fill: (DatabaseBuilder) throws(StorageError) -> R
    ) throws(StorageError) -> R {
        let files = try FileBlobStore(directory: directory, readOnly: false, codec: setup.codec)
        let engine = try setup.openBuilding(in: data)
        let builder: DatabaseBuilder
        let result: R
        do throws(StorageError) {
            builder = DatabaseBuilder(engine, engine.blobStore ?? files)
            result = try fill(builder)
            try DatabaseIdentity.make(in: builder.transaction)
            try builder.commit()
            try engine.checkpoint()
        } catch {
            engine.close()
            throw error
        }
        engine.close()
        let finished = try setup.openCopy(in: data, durability: .full)
        defer { finished.close() }
        let found = try finished.read { (transaction) throws(StorageError) in
            try BuiltContents(of: transaction, finished.blobStore ?? files)
        }
        guard found == builder.written else {
            throw StorageError(.unexpected, "The new database does not hold what was brought into it; it was removed.")
        }
        return result
    }

    // MARK: - Transactions

    var transaction: any WriteTransaction {
        get throws(StorageError) {
            if let open { return open }
            let begun = try engine.beginWrite()
            open = begun
            return begun
        }
    }

    /// Counts what was written, and commits when the transaction is large enough.
    func wrote(bytes: Int) throws(StorageError) {
        pendingBytes += bytes
        pendingChanges += 1
        if pendingBytes >= DatabaseBuilder.bytesAtOnce || pendingChanges >= DatabaseBuilder.changesAtOnce {
            try commit()
        }
    }

    private func commit() throws(StorageError) {
        guard let transaction = open else { return }
        open = nil
        pendingBytes = 0
        pendingChanges = 0
        try transaction.commit()
    }

    deinit { open?.rollback() }
}
