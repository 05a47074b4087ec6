internal import CSetteeLMDB
internal import StorageEngineKit
internal import StorageProtocol

extension LMDBStore: RewritableStore {
    /// Creates a new store in an empty directory whose commits sync nothing until `checkpoint`: for a copy, which is
    /// not used before it is complete.
    convenience init(copyIn directory: String, mapSize: Int?) throws(StorageError) {
        let options = StorageOptions(create: true, durability: .normal)
        try self.init(directory: directory, options: options, mapSize: mapSize)
        let code = unsafe mdb_env_set_flags(environment.handle, UInt32(MDB_NOSYNC), 1)
        guard code == 0 else { throw environment.failure(code, "Making the copy") }
    }

    func abandon() {
        environment.state.withLock { $0.isUnsynced = false }
        close()
    }

    func follow(_ observer: any CommitObserver) throws(StorageError) {
        if options.readOnly { throw .readOnly }
        try environment.gate.enter()
        defer { environment.gate.leave() }
        let isFirst = environment.followers.withLock { followers in
            guard !observer.isExclusive || followers.allSatisfy({ !$0.isExclusive }) else { return false }
            followers.append(observer)
            return true
        }
        guard isFirst else {
            throw StorageError(.callback, "The files are being rewritten already. Wait for the end of that.")
        }
        do throws(StorageError) {
            let snapshot = try beginRead()
            defer { snapshot.end() }
            observer.begin(after: snapshot.version)
        } catch {
            unfollow(observer)
            throw error
        }
    }

    func unfollow(_ observer: any CommitObserver) {
        environment.followers.withLock { followers in followers.removeAll { $0 === observer } }
    }
}
