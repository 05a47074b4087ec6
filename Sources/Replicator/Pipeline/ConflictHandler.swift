internal import SetteeDocumentValues
internal import SetteeEngine
internal import StorageProtocol

/// Resolves conflicts, those that pulled revisions have made or all that there are, each in a transaction of its own.
final class ConflictHandler: Sendable {
    private let peer: LocalPeer
    private let resolver: ConflictResolver
    /// When each document was resolved.
    private let times: Locked<[DocumentID: [ContinuousClock.Instant]]> = Locked([:])

    /// How often in an hour the resolver decides about a document. After that the current revision is kept, which is
    /// the same on all peers.
    private static let mostByResolver = 3
    private static let most = 10
    private static let hour = Duration.seconds(3600)
    /// For how many documents it is remembered when they were resolved.
    private static let mostDocuments = 10_000
    private static let documentsAtOnce = 256

    init(_ database: Database, _ resolver: ConflictResolver) {
        peer = LocalPeer(database)
        self.resolver = resolver
    }

    /// Resolves the conflicts of documents to which these revisions were added.
    ///
    /// - Returns: why conflicts stay.
    func resolve(
        _ revisions: [TransferredRevision],
        _ tell: (ReplicatedDocument) -> Void
    ) async -> [DocumentID: ReplicationError] {
        var pulled: [DocumentID: Set<RevisionID>] = [:]
        for revision in revisions where !revision.isDeleted {
            guard let id = try? DocumentID(revision.documentID),
                let leaf = revision.history.first.flatMap({ try? RevisionID($0) })
            else { continue }
            pulled[id, default: []].insert(leaf)
        }
        var failures: [DocumentID: ReplicationError] = [:]
        for (id, leaves) in pulled.sorted(by: { $0.key < $1.key }) {
            do {
                guard try await resolve(id, leaves) else { continue }
                tell(ReplicatedDocument(documentID: id.string, direction: .pull, flags: .resolved))
            } catch {
                failures[id] = ReplicationError(error)
            }
        }
        return failures
    }

    /// Resolves the conflicts that the database has.
    ///
    /// - Parameters:
    ///   - known: the IDs, as bytes, of documents that are left out.
    ///   - tell: gets what became of each document.
    func resolveAll(but known: Set<[UInt8]>, _ tell: (ReplicatedDocument) -> Void) async throws {
        var last: DocumentID?
        while true {
            let query = DocumentQuery(
                startKey: last?.string,
                inclusiveStart: false,
                limit: ConflictHandler.documentsAtOnce,
                onlyConflicts: true
            )
            let ids = try await peer.read { database in
                var ids: [DocumentID] = []
                try database.read { snapshot in
                    try snapshot.forEachDocument(query) { (record) throws(StorageError) in
                        ids.append(try record.documentID())
                        return true
                    }
                }
                return ids
            }
            guard !ids.isEmpty else { return }
            last = ids.last
            for id in ids where !known.contains(Array(id.string.utf8)) {
                try Task.checkCancellation()
                var event = ReplicatedDocument(documentID: id.string, direction: .pull, flags: .resolved)
                do {
                    guard try await resolve(id, []) else { continue }
                } catch {
                    event.flags = []
                    event.error = ReplicationError(error)
                }
                tell(event)
            }
        }
    }

    /// Tries once more to resolve the conflict of a document that failed.
    ///
    /// - Returns: whether there was a conflict.
    func retry(_ failure: FailedDocuments.Failure) async throws -> Bool {
        let id = try DocumentID(failure.event.documentID)
        return try await resolve(id, Set(failure.leaves.compactMap { try? RevisionID($0) }))
    }

    /// - Returns: whether there was a conflict.
    private func resolve(_ id: DocumentID, _ pulled: Set<RevisionID>) async throws -> Bool {
        guard try await peer.read({ try $0[id].isConflicted }) else { return false }
        let count = noteTime(of: id)
        guard count <= ConflictHandler.most else {
            throw ReplicationError(.conflictPersists, status: 409, "The conflict was resolved too often in an hour.")
        }
        let resolver = count <= ConflictHandler.mostByResolver ? self.resolver : .moreChanges
        do {
            try await peer.write { database in
                try database.inTransaction {
                    let leaves = try database[id].conflictingRevisions()
                    guard leaves.count > 1 else { return }
                    try database[id].resolve(leaves, pulled, by: resolver)
                }
            }
        } catch {
            // Only what was resolved counts.
            times.withLock { _ = $0[id]?.popLast() }
            if error is ReplicationError { throw error }
            throw ReplicationError(.conflictPersists, status: 500, "The conflict could not be resolved.")
        }
        return true
    }

    /// Notes that a document is resolved now.
    ///
    /// - Returns: how often it was in the last hour.
    private func noteTime(of id: DocumentID) -> Int {
        let now = ContinuousClock.now
        return times.withLock { times in
            if times.count >= ConflictHandler.mostDocuments, times[id] == nil {
                times = times.filter { entry in entry.value.contains { now - $0 < ConflictHandler.hour } }
                if times.count >= ConflictHandler.mostDocuments, let any = times.keys.first { times[any] = nil }
            }
            var recent = times[id, default: []].filter { now - $0 < ConflictHandler.hour }
            if recent.count <= ConflictHandler.most { recent.append(now) }
            times[id] = recent
            return recent.count
        }
    }
}

extension Document {
    /// - Parameters:
    ///   - leaves: the live ones, the winner first.
    ///   - pulled: those that have just come.
    fileprivate func resolve(
        _ leaves: [SavedRevision],
        _ pulled: Set<RevisionID>,
        by resolver: ConflictResolver
    ) throws {
        switch resolver {
        case .mine: try keep(leaves.first { !pulled.contains($0.id) } ?? leaves[0], of: leaves)
        case .theirs: try keep(leaves.first { pulled.contains($0.id) } ?? leaves[0], of: leaves)
        case .moreChanges: try keep(leaves[0], of: leaves)
        case .merge(let merge):
            let body: JSONObject
            do {
                body = try merge(leaves)
            } catch {
                let kind = type(of: error)
                throw ReplicationError(.callback, "The conflict resolver failed with an error of type \(kind).")
            }
            try resolveConflict(merging: body)
        }
    }

    /// Ends the conflict with the body of a leaf. On top of the winner, whichever it is: were the winner's branch
    /// deleted, a peer that deletes the other one would leave no live revision.
    private func keep(_ wanted: SavedRevision, of leaves: [SavedRevision]) throws {
        if wanted.id == leaves[0].id {
            try resolveConflict(keeping: wanted.id)
            return
        }
        var body = try wanted.properties
        for (name, _) in body["_attachments"]?.objectValue ?? JSONObject() {
            // They are new on this branch.
            body["_attachments"]?[name]?["revpos"] = nil
        }
        try resolveConflict(merging: body, onto: leaves[0].id)
    }
}
