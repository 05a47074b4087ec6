internal import Foundation
internal import Settee
internal import StorageProtocol

/// One run of a workload on a database of its own, or on one that other workloads have read.
final class WorkloadRun {
    static let batch = 1000

    private(set) var database: Database
    let documents: DocumentSet
    let key: StorageKey?
    let folder: URL
    let threads: Int
    /// How many operations a mix has.
    let operations: Int
    var latencies = Latencies()
    /// Keeps the compiler from leaving out reads.
    var checksum: UInt64 = 0
    /// What `prepare` made for `run`.
    var revisions: [RevisionID] = []
    var histories: [[RevisionID]] = []
    var pieces: [[UInt8]] = []
    var bounds: [JSONValue] = []
    var questions: [FindQuery] = []
    var order: [Int] = []
    var values: [JSONObject] = []

    init(_ database: Database, documents: DocumentSet, key: StorageKey?, folder: URL, workload: Workload) {
        self.database = database
        self.documents = documents
        self.key = key
        self.folder = folder
        threads = workload.threads
        operations = max(1, documents.count / workload.operationsDivisor)
    }

    var count: Int { documents.count }

    /// How many random documents are read: as many as there are, but no more than tell anything new.
    var reads: Int { min(count, 1_000_000) }

    func id(_ index: Int) -> String { documents.id(index) }

    /// The bytes of `count` documents.
    func bytes(of count: Int) -> Int { Int(Double(count) * documents.averageLength) }

    /// Continues with the database opened again.
    func reopen() throws {
        guard let path = database.path else { return }
        let durability = database.durability
        try database.close()
        database = try Database.open(
            at: URL(filePath: path),
            options: DatabaseOptions(durability: durability, key: key)
        )
    }

    /// Inserts all documents, as JSON text, in transactions of `batch`.
    func insertAll(batch: Int = WorkloadRun.batch, keepingRevisions: Bool = false) throws {
        revisions = []
        if keepingRevisions { revisions.reserveCapacity(count) }
        for first in stride(from: 0, to: count, by: batch) {
            try latencies.time {
                try database.inTransaction {
                    for index in first..<min(first + batch, count) {
                        let saved = try database[id(index)].put(json: documents.body(index))
                        if keepingRevisions { revisions.append(saved.id) }
                    }
                }
            }
        }
    }

    /// Updates each document, in batches, on top of the revisions that were kept.
    func updateAll() throws {
        try inBatches { index in
            let parent = revisions[index]
            revisions[index] = try database[id(index)].put(json: documents.body(index + 3), parent: parent).id
        }
    }

    func inBatches(_ body: (Int) throws -> Void) throws {
        for first in stride(from: 0, to: count, by: WorkloadRun.batch) {
            try latencies.time {
                try database.inTransaction {
                    for index in first..<min(first + WorkloadRun.batch, count) { try body(index) }
                }
            }
        }
    }

    /// Times each sixteenth of operations that take about as long as looking at the clock twice.
    func timeSome(_ turn: Int, _ operation: () throws -> Void) rethrows {
        if turn & 15 == 0 { try latencies.time(operation) } else { try operation() }
    }

    func allWritten() -> Workload.Work { Workload.Work(operations: count, bytes: bytes(of: count)) }

    static func found(_ json: [UInt8]?) throws -> [UInt8] {
        guard let json else { throw missing }
        return json
    }

    static var missing: StorageError {
        StorageError(.unexpected, "A document that was inserted is missing.")
    }

    func expect(_ rows: Int) throws {
        guard rows == count else { throw StorageError(.unexpected, "A scan did not give every document.") }
    }
}
