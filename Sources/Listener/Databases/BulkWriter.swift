internal import SetteeCouchProtocol
internal import SetteeEngine
internal import StorageProtocol

/// Writes the batches of `_bulk_docs`: one while the next is being read. Keeps what became of each document.
struct BulkWriter {
    private let served: ServedDatabase
    private let threads: BlockingThreads
    /// Whose writes these are.
    private let user: UserContext
    /// Why the client may not write design documents; nil if it may.
    private let designRefusal: CouchError?
    private let answerBytes: Int
    private var rows = BulkRows()
    private var running: Task<BulkRows, any Error>?
    /// What it writes.
    private var batch: BulkBatch?

    /// So many documents are parsed, and saved in one transaction.
    private static let mostOfTransaction = 500

    /// - Parameter answerBytes: The highest number of bytes of the rows, as JSON.
    init(
        _ served: ServedDatabase,
        _ threads: BlockingThreads,
        by user: UserContext,
        designRefusal: CouchError?,
        answerBytes: Int
    ) {
        self.served = served
        self.threads = threads
        self.user = user
        self.designRefusal = designRefusal
        self.answerBytes = answerBytes
    }

    /// Begins to write a batch when the one before is written.
    ///
    /// - Returns: The one before.
    /// - Throws: What failed in the batch before: of the store, or `too_large` (413) if the answer becomes too long.
    mutating func write(_ batch: BulkBatch, newEdits: Bool) async throws -> BulkBatch? {
        try await settle()
        defer { self.batch = batch }
        running = Task { [threads, served, user, designRefusal] in
            try await threads.run {
                let database = served.database
                return try database.perform(judgedBy: try served.validation(of: user)) { () throws in
                    var rows = BulkRows()
                    for start in stride(from: 0, to: batch.count, by: BulkWriter.mostOfTransaction) {
                        let some = start..<min(start + BulkWriter.mostOfTransaction, batch.count)
                        let documents = BulkWriter.checked(batch.documents(some), designRefusal, served)
                        if newEdits {
                            rows.append(try BulkWriter.save(documents, in: database))
                        } else {
                            rows.append(try BulkWriter.insert(documents, in: database).filter(\.isFailure))
                        }
                    }
                    return rows
                }
            }
        }
        return self.batch
    }

    /// Waits until what was begun is written, and returns the rows of the answer.
    mutating func finish() async throws -> BulkRows {
        try await settle()
        return rows
    }

    /// Waits until what was begun is written, or has failed.
    func end() async { _ = await running?.result }

    private mutating func settle() async throws {
        guard let running else { return }
        self.running = nil
        rows.append(try await running.value)
        guard rows.textBytes <= answerBytes else { throw CouchError.tooLarge }
    }

    /// Checks design documents, also those that were made elsewhere, as CouchDB does.
    private static func checked(
        _ documents: [Result<DocumentBody, CouchError>],
        _ designRefusal: CouchError?,
        _ served: ServedDatabase
    ) -> [Document] {
        documents.map { document in
            guard case .success(let body) = document else { return (nil, nil, document) }
            let revision = body.revision?.string
            guard let text = body.id, let id = try? DocumentID(text), id.isDesign else {
                return (body.id, revision, document)
            }
            if let designRefusal { return (text, revision, .failure(designRefusal)) }
            do {
                try served.check(body, as: id)
                return (text, revision, document)
            } catch {
                return (text, revision, .failure(CouchError(any: error)))
            }
        }
    }
}

/// All of these block.
extension BulkWriter {
    private typealias Document = (id: String?, revision: String?, body: Result<DocumentBody, CouchError>)

    /// Saves new revisions.
    private static func save(_ documents: [Document], in database: Database) throws -> [BulkOutcome] {
        try database.inTransaction { () throws in
            try documents.map { try save($0, in: database) }
        }
    }

    private static func save(_ document: Document, in database: Database) throws -> BulkOutcome {
        let body: DocumentBody
        switch document.body {
        case .success(let parsed): body = parsed
        case .failure(let error): return BulkOutcome(id: document.id, outcome: .failure(error))
        }
        let text = body.id ?? Database.makeID()
        do {
            let id = try Exchange.documentID(text)
            let saved = try database.save(body, as: id, parent: body.revision)
            return BulkOutcome(id: text, revision: saved.wireRevision, outcome: .success(()))
        } catch let error as CouchError {
            return BulkOutcome(id: text, outcome: .failure(error))
        } catch let error as StorageError where !error.code.isStorageFailure && error.code != .callback {
            return BulkOutcome(id: text, outcome: .failure(CouchError(error)))
        }
    }

    /// Adds revisions that were made elsewhere.
    private static func insert(_ documents: [Document], in database: Database) throws -> [BulkOutcome] {
        var outcomes = documents.map { BulkOutcome(id: $0.id, revision: $0.revision, outcome: .success(())) }
        var revisions: [ForeignRevision] = []
        var places: [Int] = []
        for (place, document) in documents.enumerated() {
            do {
                let body = try document.body.get()
                guard let text = body.id else { throw CouchError.illegalDocumentID("The document has no `_id`.") }
                let id = try Exchange.documentID(text)
                if id.isLocal {
                    _ = try database.put(id, body, parent: body.revision)
                    continue
                }
                revisions.append(try ForeignRevision(wire: body, id))
                places.append(place)
            } catch let error as CouchError {
                outcomes[place].outcome = .failure(error)
            } catch let error as StorageError where !error.code.isStorageFailure {
                outcomes[place].outcome = .failure(CouchError(error))
            }
        }
        for (place, outcome) in zip(places, try database.forceInsert(revisions)) {
            if case .refused(let error) = outcome { outcomes[place].outcome = .failure(CouchError(error)) }
        }
        return outcomes
    }
}
