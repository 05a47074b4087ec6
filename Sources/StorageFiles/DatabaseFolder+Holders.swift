package import StorageProtocol

extension DatabaseFolder {
    /// Everybody who has the folder open and could leave a name, this one included.
    package func holders() throws(StorageError) -> [Holder] {
        let own = holderName
        return try Holders.live(path).compactMap { found in
            var holder = found.holder
            holder?.isOwn = found.name == own
            return holder
        }
    }

    /// The name that this opening of the folder has among all; nil where it could leave none.
    package var holderName: String? { locks.holder?.name }

    /// Whether somebody has the folder open under a name, in any process.
    package func isHeld(as name: String) throws(StorageError) -> Bool {
        try Holders.live(path).contains { $0.name == name }
    }

    /// - Throws: `inUse` (423) naming who else has the folder open.
    package func requireAlone() throws(StorageError) {
        guard try isAlone() else { throw inUseByOthers() }
    }

    /// Whether nobody else has the folder open, at this moment: what a switch will need.
    package func isAlone() throws(StorageError) -> Bool {
        let own = holderName
        guard try Holders.live(path).allSatisfy({ $0.name == own }) else { return false }
        return try !othersReadAnonymously()
    }

    /// The lowest change counter of all snapshots in all processes, nil where there is none. 0 where somebody reads who
    /// could not say what: nothing may be deleted then.
    package func oldestSnapshotInAnyProcess() throws(StorageError) -> UInt64? {
        if try othersReadAnonymously() { return 0 }
        var oldest: UInt64?
        for found in try Holders.live(path) {
            let snapshot: UInt64?
            if let holder = found.holder {
                snapshot = holder.oldestSnapshot
            } else {
                // A page in the making is empty or zero, and its owner has no snapshot yet. Anything else is unknown.
                snapshot = found.bytes.allSatisfy { $0 == 0 } ? nil : 0
            }
            if let snapshot { oldest = min(oldest ?? snapshot, snapshot) }
        }
        return oldest
    }

    /// One who has the mark itself cannot tell; it neither switches nor deletes.
    private func othersReadAnonymously() throws(StorageError) -> Bool {
        guard locks.anonymousMark == nil else { return false }
        return try Holders.anonymousReaderExists(path)
    }

    /// A `423` that names everybody else.
    func inUseByOthers() -> StorageError {
        let others = ((try? holders()) ?? []).filter { !$0.isOwn }
        let what =
            others.isEmpty
            ? "is open in another process that cannot leave its name (it may not write the folder)"
            : "is open in another process"
        return DatabaseFolder.inUse(path, what, holders: others)
    }
}
