internal import StorageFiles
internal import StorageProtocol

extension Database {
    /// Removes the contents that no kept revision refers to. They go to the trash first, and for good when no snapshot
    /// of any process is old enough to need them.
    ///
    /// - Returns: how many went to the trash now.
    func collectBlobs() throws(StorageError) -> Int {
        guard let folder else { return 0 }
        let store = try folder.makeBlobStore()
        let trashed = try change { (session) throws(StorageError) in
            let transaction = session.transaction
            let epoch = try session.counters().changeCounter
            var unused: [BlobReference] = []
            var used = Set<String>()
            try transaction.blobReferences { (reference) throws(StorageError) in
                if reference.count == 0 { unused.append(reference) } else { used.insert(reference.storageName) }
                return true
            }
            for reference in unused {
                session.noteChange()
                try transaction.removeBlobReference(reference.digest)
            }
            // Files without a reference are what killed writers have left.
            var orphans: [String] = []
            try store.names { (name) throws(StorageError) in
                if !used.contains(name) { orphans.append(name) }
                return true
            }
            var count = 0
            for name in orphans where try store.moveToTrash(name, epoch: epoch) { count += 1 }
            return count
        }
        let now = try counters().changeCounter
        _ = try store.emptyTrash(before: folder.oldestSnapshotInAnyProcess() ?? now + 1)
        return trashed
    }
}
