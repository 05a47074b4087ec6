internal import SetteeDocumentValues
internal import SetteeEngine
public import StorageProtocol

extension Replicator {
    /// The IDs of documents that are to be pushed and are not, as far as the checkpoint here says. Needs no network.
    ///
    /// - Throws: `ReplicationError` with `badConfiguration` for a replicator that only pulls, or if the database cannot
    ///   be read.
    /// - Complexity: O(changes after the checkpoint).
    public func pendingDocumentIDs() async throws -> Set<DocumentID> {
        guard configuration.direction != .pull else {
            throw ReplicationError(.badConfiguration, "The replicator pushes nothing.")
        }
        do {
            try configuration.checkChoice(.push)
            let source = try LocalPeer.source(of: configuration)
            let names = try await CheckpointNames(configuration, .push)
            var since: JSONValue?
            if !configuration.resetsCheckpoint {
                for id in names.all where since == nil {
                    since = try await source.checkpoint(id).flatMap { CheckpointLog($0.body) }?.sequence
                }
            }
            var pending: Set<DocumentID> = []
            while true {
                let page = try await source.changes(ChangesQuery(since: since, limit: 1_000))
                pending.formUnion(page.rows.map { DocumentID(unchecked: $0.id) })
                if page.isAtEnd { return pending }
                since = page.lastSequence
            }
        } catch {
            throw ReplicationError(error)
        }
    }

    /// Whether a document is to be pushed and is not: see `pendingDocumentIDs`.
    public func isDocumentPending(_ id: DocumentID) async throws -> Bool {
        try await pendingDocumentIDs().contains(id)
    }
}
