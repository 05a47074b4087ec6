internal import SetteeDocumentValues
internal import SetteeEngine
internal import StorageProtocol

/// A database here as one side of a replication.
///
/// Calls of the database block; they run on the threads that Engine has for readers and writers.
struct LocalPeer: Peer {
    let database: Database
    /// Which of its documents it tells as changed.
    let filter: LocalFilter
    /// What observers of the database learn about where inserted revisions come from.
    let source: String?
    /// Makes what judges inserted revisions, beside the database's own validations.
    let validation: (@Sendable () throws -> Validation?)?
    private let signal: CommitSignal

    init(
        _ database: Database,
        filter: LocalFilter = LocalFilter(),
        source: String? = nil,
        validation: (@Sendable () throws -> Validation?)? = nil
    ) {
        self.database = database
        self.filter = filter
        self.source = source
        self.validation = validation
        signal = CommitSignal(database)
    }

    var name: String { database.name }

    func information() async throws -> PeerInformation {
        try await read { database in
            // As the listener writes them.
            let uuid = try database.publicUUID.lowercased().filter { $0 != "-" }
            let startTime = String(UInt64(uuid.prefix(12), radix: 16) ?? 0)
            return PeerInformation(uuid: uuid, startTime: startTime, lastSequence: JSONValue(try database.lastSequence))
        }
    }

    func checkpoint(_ id: String) async throws -> PeerCheckpoint? {
        try await read { database in
            guard let found = try database["_local/" + id].revision() else { return nil }
            return PeerCheckpoint(revision: found.id.string, body: try found.properties)
        }
    }

    func save(_ checkpoint: JSONObject, as id: String, replacing revision: String?) async throws -> String {
        try await write { database in
            let body = try DocumentBody(checkpoint)
            let parent = try revision.map { try RevisionID($0) }
            let documentID = try DocumentID("_local/" + id)
            let saved = try database.putLocal(documentID, body, parent: parent, isNew: parent == nil)
            try database.keepReplicatedHistories()
            return saved.id.string
        }
    }

    /// Nothing: what is inserted is committed. Should a loss of power undo it, it undoes the checkpoint behind it as
    /// well, and the next run starts at the newest one that both sides have.
    func commit() async throws {}

    func changes(_ query: ChangesQuery) async throws -> ChangesPage {
        let end = query.wait.map { ContinuousClock.now + $0 }
        var query = query
        while true {
            let count = end == nil ? 0 : signal.count
            let page = try await page(query)
            guard let end, page.rows.isEmpty, page.isAtEnd else { return page }
            // What the filter left out is not looked at again.
            query.since = page.lastSequence
            guard await signal.wait(after: count, until: end) else {
                try Task.checkCancellation()
                return page
            }
        }
    }

    func missing(_ documents: [OfferedDocument]) async throws -> [LackedRevisions?] {
        try await read { try $0.lacked(documents) }
    }

    /// Runs `body` on a thread for readers.
    func read<R: Sendable>(_ body: @escaping @Sendable (Database) throws -> R) async throws -> R {
        do {
            return try await database.async.perform(on: AsyncDatabase.readers, until: .start, body)
        } catch let error as StorageError {
            throw PeerError(error)
        }
    }

    /// Runs `body` on a thread for writers.
    func write<R: Sendable>(_ body: @escaping @Sendable (Database) throws -> R) async throws -> R {
        do {
            return try await database.async.perform(on: AsyncDatabase.writers, until: .start, body)
        } catch let error as StorageError {
            throw PeerError(error)
        }
    }
}
