internal import SetteeStorageFiles
internal import StorageProtocol

extension DatabaseConversion {
    /// Reads the copy as any database is read.
    func verify(
        _ engine: any StorageEngine,
        against sums: StoreSums,
        of generation: OpenGeneration,
        in staged: StagedGeneration
    ) throws(StorageError) {
        begin(.verification)
        let blobs: FileBlobStore
        if let directory = staged.blobDirectory {
            blobs = try FileBlobStore(directory: directory, readOnly: true, codec: target.setup.codec)
        } else {
            blobs = try generation.blobs.files()
        }
        try engine.read { (transaction) throws(StorageError) in
            let transfer = StoreTransfer(from: transaction, to: nil, indexKeeper: database.store.indexKeeper) {
                (transfer) throws(StorageError) in
                try self.note(transfer)
            }
            try transfer.run()
            end(transfer)
            if let part = transfer.sums.difference(from: sums) {
                throw StorageError(
                    .unexpected,
                    "The new files do not hold what the old ones do (\(part)); they were not taken. The database is as "
                        + "it was."
                )
            }
            try transaction.orderedBlobReferences { (reference) throws(StorageError) in
                guard reference.count > 0 else { return true }
                try requireGoingOn()
                guard try blobs.size(reference.storageName) == reference.length else {
                    throw .corrupt("The content of an attachment is missing or has another length; `check` names it")
                }
                return true
            }
        }
    }
}
