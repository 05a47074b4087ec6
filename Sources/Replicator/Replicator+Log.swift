package import SetteeDocumentValues

extension Replicator {
    /// The log in this database's checkpoint of a direction, as CouchDB writes it. Nil if there is none, or if it
    /// cannot be read.
    package func checkpointLog(_ direction: ReplicatedDocument.Direction) async -> JSONObject? {
        guard let id = try? await CheckpointNames(configuration, direction, connect()).id else { return nil }
        return try? await LocalPeer(configuration.database).checkpoint(id)?.body
    }
}
