package import StorageProtocol

extension DatabaseFolder {
    /// Returns all holders that have the folder open and could leave a name, including this one.
    package func holders() throws(StorageError) -> [Holder] {
        let own = holderName
        return try Holders.live(path).compactMap { found in
            var holder = found.holder
            holder?.isOwn = found.name == own
            return holder
        }
    }

    /// Names the process beside which this one reads; nil if there is none. Empty if it is not known.
    package var writerBeside: String? {
        guard access == .readOnlyBesideWriter else { return nil }
        return Holders.writing(path).map(\.description).joined(separator: ", ")
    }

    /// The unique name of this opening of the folder; nil if it could not leave one.
    package var holderName: String? { locks.holder?.name }

    /// Whether the folder is open under this name, in any process.
    package func isHeld(as name: String) throws(StorageError) -> Bool {
        try Holders.live(path).contains { $0.name == name }
    }

    /// - Throws: `inUse` (423) naming the other holders that have the folder open.
    package func requireAlone() throws(StorageError) {
        guard try isAlone() else { throw inUseByOthers() }
    }

    /// Whether the folder is not open anywhere else at this moment, as a switch requires.
    package func isAlone() throws(StorageError) -> Bool {
        let own = holderName
        guard try Holders.live(path).allSatisfy({ $0.name == own }) else { return false }
        return try !othersReadAnonymously()
    }

    /// Returns the lowest change counter of all snapshots in all processes, nil if there is no snapshot. Returns 0 if
    /// there is a reader whose snapshots are unknown: nothing may be deleted then.
    package func oldestSnapshotInAnyProcess() throws(StorageError) -> UInt64? {
        if try othersReadAnonymously() { return 0 }
        var oldest: UInt64?
        for found in try Holders.live(path) {
            let snapshot: UInt64?
            if let holder = found.holder {
                snapshot = holder.oldestSnapshot
            } else {
                // A page being created is empty or zero, and its owner has no snapshot yet. Anything else is unknown.
                snapshot = found.bytes.allSatisfy { $0 == 0 } ? nil : 0
            }
            if let snapshot { oldest = min(oldest ?? snapshot, snapshot) }
        }
        return oldest
    }

    /// A process that holds the mark itself cannot tell; it neither switches nor deletes.
    private func othersReadAnonymously() throws(StorageError) -> Bool {
        guard locks.anonymousMark == nil else { return false }
        return try Holders.anonymousReaderExists(path)
    }

    /// Returns a `423` that names all other holders.
    func inUseByOthers() -> StorageError {
        let others = ((try? holders()) ?? []).filter { !$0.isOwn }
        let what =
            others.isEmpty
            ? "is open in another process that cannot leave its name (it may not write the folder)"
            : "is open in another process"
        return DatabaseFolder.inUse(path, what, holders: others)
    }
}
