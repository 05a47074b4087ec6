internal import Foundation
internal import Settee
internal import Synchronization

/// One thing that is measured, on a database of people documents.
enum Workload: String, CaseIterable, Sendable {
    /// JSON text in transactions of 1,000.
    case insertBatch = "insert-batch"
    /// JSON text, each in a transaction of its own.
    case insertSingle = "insert-single"
    /// The import path: parsing on all cores, saving on one.
    case bulk
    /// Random documents as JSON text, all within one snapshot.
    case readSnapshot = "read-snapshot"
    /// Random documents as JSON text, each in its own transaction.
    case readSingle = "read-single"
    /// All documents with their bodies, in the order of IDs.
    case scan
    /// All changes without bodies, in the order of sequences.
    case changes
    /// A new revision of each document, in transactions of 1,000; the old bodies are kept.
    case update
    /// Dropping old bodies and rewriting the files.
    case compact
    /// A tombstone for each document, in transactions of 1,000.
    case delete

    /// Whether it begins with an empty database.
    var needsEmpty: Bool { [.insertBatch, .insertSingle, .bulk].contains(self) }

    /// How many documents it is run with: one by one is slow.
    func documents(of count: Int) -> Int { self == .insertSingle ? max(1, count / 10) : count }
}

/// Runs workloads on one database.
final class WorkloadRunner {
    static let batch = 1000

    let database: Database
    let lines: [[UInt8]]
    let randomIDs: Bool
    /// The current revisions, as an application that updates what it read has them.
    private var revisions: [RevisionID] = []
    private var checksum: UInt64 = 0
    /// The lines with their IDs, as the import reads them, in pieces.
    private var pieces: [[UInt8]] = []

    init(_ database: Database, lines: [[UInt8]], randomIDs: Bool) {
        self.database = database
        self.lines = lines
        self.randomIDs = randomIDs
    }

    private func id(_ index: Int) -> String { People.documentID(index, random: randomIDs) }

    /// What must have happened before `workload` can be timed.
    func prepare(_ workload: Workload) throws {
        if workload == .bulk { pieces = makePieces() }
        guard !workload.needsEmpty else { return }
        try insert(batch: WorkloadRunner.batch)
        if workload == .compact { try update() }
    }

    /// Runs `workload` and says what it took.
    func run(_ workload: Workload) throws -> Measurement {
        let start = Stopwatch()
        switch workload {
        case .insertBatch: try insert(batch: WorkloadRunner.batch)
        case .insertSingle: try insert(batch: 1)
        case .bulk: try bulk()
        case .readSnapshot: try readSnapshot()
        case .readSingle: try readSingle()
        case .scan: try scan()
        case .changes: try changes()
        case .update: try update()
        case .compact: _ = try database.compact()
        case .delete: try delete()
        }
        return start.measurement(of: lines.count)
    }

    private func insert(batch: Int) throws {
        revisions = []
        revisions.reserveCapacity(lines.count)
        for first in stride(from: 0, to: lines.count, by: batch) {
            try database.inTransaction {
                for index in first..<min(first + batch, lines.count) {
                    revisions.append(try database[id(index)].put(json: lines[index]).id)
                }
            }
        }
    }

    private func makePieces() -> [[UInt8]] {
        var pieces: [[UInt8]] = []
        var piece: [UInt8] = []
        for (index, line) in lines.enumerated() {
            piece += Array("{\"_id\":\"\(id(index))\",".utf8)
            piece += line.dropFirst()
            piece.append(UInt8(ascii: "\n"))
            if piece.count >= 1 << 18 {
                pieces.append(piece)
                piece = []
            }
        }
        pieces.append(piece)
        return pieces
    }

    private func bulk() throws {
        let queue = Pieces(pieces)
        let importer = BulkImporter(into: database, options: ImportOptions())
        let outcome = try importer.run(chunk: queue.next, failure: WorkloadRunner.refuse, committed: { _, _ in })
        if let error = outcome.interruption { throw error }
        try WorkloadRunner.expect(outcome.documents, lines.count)
    }

    private func readSnapshot() throws {
        try database.read { snapshot in
            for turn in lines.indices {
                let json = try snapshot.json(of: id(People.randomDocument(turn, of: lines.count)))
                checksum &+= UInt64(try WorkloadRunner.found(json).count)
            }
        }
    }

    private func readSingle() throws {
        for turn in lines.indices {
            let json = try database[id(People.randomDocument(turn, of: lines.count))].json()
            checksum &+= UInt64(try WorkloadRunner.found(json).count)
        }
    }

    private func scan() throws {
        var rows = 0
        try database.read { snapshot in
            try snapshot.forEachDocument(DocumentQuery(includeBodies: true)) { (row) throws(StorageError) in
                rows += 1
                checksum &+= UInt64(try row.documentID().string.utf8.count) &+ row.sequence
                checksum &+= UInt64(row.bodyCopy().count)
                return true
            }
        }
        try WorkloadRunner.expect(rows, lines.count)
    }

    private func changes() throws {
        var rows = 0
        try database.changes(since: 0).forEach { row in
            rows += 1
            checksum &+= row.sequence
        }
        try WorkloadRunner.expect(rows, lines.count)
    }

    private func update() throws {
        try inBatches { index in
            let line = lines[(index + 3) % lines.count]
            let parent = revisions[index]
            revisions[index] = try database[id(index)].put(json: line, parent: parent).id
        }
    }

    private func delete() throws {
        try inBatches { index in _ = try database[id(index)].delete() }
    }

    private func inBatches(_ body: (Int) throws -> Void) throws {
        for first in stride(from: 0, to: lines.count, by: WorkloadRunner.batch) {
            try database.inTransaction {
                for index in first..<min(first + WorkloadRunner.batch, lines.count) { try body(index) }
            }
        }
    }

    private static func refuse(_ failure: ImportFailure) throws { throw failure.error }

    private static func found(_ json: [UInt8]?) throws -> [UInt8] {
        guard let json else { throw StorageError(.unexpected, "A document that was inserted is missing.") }
        return json
    }

    private static func expect(_ rows: Int, _ documents: Int) throws {
        guard rows == documents else { throw StorageError(.unexpected, "A scan did not give every document.") }
    }
}

/// Text that is handed out piece by piece, to whichever thread asks.
private final class Pieces: Sendable {
    private let rest: Mutex<ArraySlice<[UInt8]>>

    init(_ pieces: [[UInt8]]) { rest = Mutex(pieces[...]) }

    func next() -> [UInt8]? { rest.withLock { $0.popFirst() } }
}
