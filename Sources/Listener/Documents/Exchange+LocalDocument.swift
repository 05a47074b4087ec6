internal import SetteeCouchProtocol
internal import SetteeEngine
internal import StorageProtocol

/// Local documents of clients that may write nothing else: the checkpoints of those who pull.
extension Exchange {
    private static let mostBytesOfCheckpoint = 64 << 10
    private static let mostCheckpoints = 10_000

    /// Limits the local documents of clients that may write no others. They keep checkpoints there, for which 64 KiB
    /// each, and 10,000 local documents in the database, are enough.
    ///
    /// - Throws: `too_large` (413), or `insufficient_storage` (507) for one more document.
    func requireRoom(for id: DocumentID, bytes: Int, in served: ServedDatabase) async throws {
        guard id.isLocal, !access.mayWriteDocuments else { return }
        guard bytes <= Exchange.mostBytesOfCheckpoint else { throw CouchError.tooLarge }
        let isFull = try await blocking {
            guard try served.database.localRevision(of: id) == nil else { return false }
            return try served.database.hasLocalDocuments(Exchange.mostCheckpoints)
        }
        guard !isFull else { throw CouchError.insufficientStorage }
    }
}
