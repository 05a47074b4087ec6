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

    /// Whether a batch was written, or is being written.
    var hasBegun: Bool { batch != nil }

    /// Checks that each of these documents can be one.
    ///
    /// - Throws: Why the request is refused (400).
    func check(_ batches: [BulkBatch], newEdits: Bool) async throws {
        try await threads.run {
            for batch in batches {
                for some in BulkWriter.parts(of: batch) {
                    for document in batch.documents(some) {
                        if let refusal = document.refusalOfAll(newEdits: newEdits) { throw refusal }
                    }
                }
            }
        }
    }

    private static func parts(of batch: BulkBatch) -> [Range<Int>] {
        stride(from: 0, to: batch.count, by: mostOfTransaction).map { $0..<min($0 + mostOfTransaction, batch.count) }
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
                    for some in BulkWriter.parts(of: batch) {
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
        _ documents: [BulkDocument],
        _ designRefusal: CouchError?,
        _ served: ServedDatabase
    ) -> [BulkDocument] {
        documents.map { document in
            guard case .success(let body) = document.body, let text = body.id, let id = try? DocumentID(text),
                id.isDesign
            else { return document }
            var document = document
            do {
                if let designRefusal { throw designRefusal }
                try served.check(body, as: id)
            } catch {
                document.body = .failure(CouchError(any: error))
            }
            return document
        }
    }
}

/// All of these block.
extension BulkWriter {
    /// Saves new revisions.
    private static func save(_ documents: [BulkDocument], in database: Database) throws -> [BulkOutcome] {
        try database.inTransaction { () throws in
            try documents.map { try save($0, in: database) }
        }
    }

    private static func save(_ document: BulkDocument, in database: Database) throws -> BulkOutcome {
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
    private static func insert(_ documents: [BulkDocument], in database: Database) throws -> [BulkOutcome] {
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
