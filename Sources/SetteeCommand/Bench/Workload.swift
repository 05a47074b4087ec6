internal import Foundation
internal import Settee
internal import StorageProtocol

/// A workload to measure, on a database of people documents.
enum Workload: String, CaseIterable, Sendable {
    /// JSON text in transactions of 1,000.
    case insertBatch = "insert-batch"
    /// JSON text, each in a transaction of its own.
    case insertSingle = "insert-single"
    /// Like `insertBatch`, with ten observers, each of which receives every document.
    case insertBatchObserved = "insert-batch-observed"
    /// Like `insertSingle`, with ten observers.
    case insertSingleObserved = "insert-single-observed"
    /// The import: parsing on all cores, saving on one.
    case bulk
    /// Random documents as JSON text, all within one snapshot.
    case readSnapshot = "read-snapshot"
    /// Random documents within one snapshot, read in place as the engine provides them, without copying.
    case readLent = "read-lent"
    /// Random documents as JSON text, each in its own transaction.
    case readSingle = "read-single"
    /// The IDs and revisions of all documents, in queries of 1,000 IDs in no order.
    case readKeys = "read-keys"
    /// The same, with the documents.
    case readKeysDocs = "read-keys-docs"
    /// Random documents, each in its own transaction and timed separately: first without other work, then while a
    /// thread inserts.
    case readBesideWriter = "read-beside-writer"
    /// All documents with their bodies, in ID order.
    case scan
    /// All documents in ID order, reading each body without copying it.
    case scanLent = "scan-lent"
    /// All changes without bodies, in sequence order.
    case changes
    /// A new revision of each document, in transactions of 1,000; the old bodies are kept.
    case update
    /// Dropping old bodies and rewriting the files.
    case compact
    /// Rewriting the files of a database without old bodies.
    case rewrite
    /// A tombstone for each document, in transactions of 1,000.
    case delete
    /// Revisions from other databases as JSON text, each with a history of 10, in transactions of 1,000.
    case forceInsert = "force-insert"
    /// Documents that are updated 10 times, one after another, in transactions of 1,000 updates.
    case updateTen = "update-10"
    /// The same with 1,000 updates of each document.
    case updateThousand = "update-1000"
    /// Revisions from other databases, each a branch of one document, all in one transaction. At most 5,000.
    case branches
    /// The same, each in a transaction of its own.
    case branchesSingle = "branches-single"
    /// Deleting all branches of such a document, in one transaction.
    case branchesDelete = "branches-delete"
    /// The first build of a view on a number, `/score`, mapped on all cores.
    case viewBuild = "view-build"
    /// The same on one thread.
    case viewBuildOne = "view-build-1"
    /// The first build of a view on a string, `/name/last`.
    case viewBuildString = "view-build-string"
    /// Bringing the view up to date after every hundredth document has changed. Counts the changed documents.
    case viewUpdate = "view-update"
    /// The rows of that view in a hundred ranges.
    case viewRange = "view-range"
    /// Opening the database and reading the first row of the view.
    case viewOpen = "view-open"
    /// Single puts, each timed separately: first without other work, then while a thread builds that view from scratch.
    case viewPut = "view-put"
    /// The time from an insert to the result of a live query without debounce, one after another.
    case viewLive = "view-live"
    /// The same without a live query: an insert, then the query, which brings the view up to date.
    case viewByHand = "view-by-hand"

    /// Whether it measures a view.
    var isOfView: Bool { rawValue.hasPrefix("view-") }

    /// Whether it measures one document with many branches.
    var isOfBranches: Bool { rawValue.hasPrefix("branches") }

    /// Whether it starts with an empty database.
    var needsEmpty: Bool {
        baseline == .insertBatch || baseline == .insertSingle || self == .bulk || isOfBranches
            || [.forceInsert, .updateTen, .updateThousand].contains(self)
    }

    /// Whether the plain-C program can do it.
    var hasBaseline: Bool {
        !isOfBranches
            && ![
                .readBesideWriter, .readKeys, .readKeysDocs, .forceInsert, .updateTen, .updateThousand, .viewUpdate,
                .viewPut, .viewLive,
                .viewByHand,
            ].contains(self)
    }

    /// The other workload that it is compared with; nil: none.
    var counterpart: Workload? { self == .viewLive ? .viewByHand : nil }

    /// Returns how many documents it runs with: a tenth if each has a transaction of its own, which is slow, and at
    /// most 5,000 branches of one document.
    func documents(of count: Int) -> Int {
        if isOfBranches { return min(count, 5000) }
        return baseline == .insertSingle ? max(1, count / 10) : count
    }

    /// The workload that the plain-C program does for it.
    var baseline: Workload {
        switch self {
        case .insertBatchObserved: .insertBatch
        case .insertSingleObserved: .insertSingle
        case .readLent: .readSnapshot
        case .scanLent: .scan
        case .viewBuildOne: .viewBuild
        default: self
        }
    }
}

/// Runs workloads on one database.
final class WorkloadRunner {
    static let batch = 1000

    private(set) var database: Database
    let lines: [[UInt8]]
    let randomIDs: Bool
    /// The current revisions, as an application has them that updates what it read.
    private var revisions: [RevisionID] = []
    var checksum: UInt64 = 0
    /// The starts of the ranges of a view, and the end of the last one.
    var bounds: [JSONValue] = []
    private let key: StorageKey?
    /// The lines with their IDs in pieces, as the import reads them.
    private var pieces: [[UInt8]] = []
    /// For each line a revision and its ancestors, newest first.
    var histories: [[RevisionID]] = []

    init(_ database: Database, key: StorageKey?, lines: [[UInt8]], randomIDs: Bool) {
        self.database = database
        self.key = key
        self.lines = lines
        self.randomIDs = randomIDs
    }

    func id(_ index: Int) -> String { People.documentID(index, random: randomIDs) }

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

    /// Does what must happen before `workload` can be timed.
    func prepare(_ workload: Workload) throws {
        if workload == .bulk { pieces = makePieces() }
        if workload == .forceInsert { histories = try makeHistories() }
        if workload.isOfBranches { try prepareBranches(workload) }
        guard !workload.needsEmpty else { return }
        try insert(batch: WorkloadRunner.batch)
        if workload == .compact { try update() }
        if workload.isOfView { try prepareView(workload) }
    }

    /// Runs `workload` and returns its measurement.
    func run(_ workload: Workload) throws -> Measurement {
        let isObserved = [.insertBatchObserved, .insertSingleObserved].contains(workload)
        let observers = isObserved ? Observers(database, expecting: lines.count) : nil
        if workload == .readBesideWriter { return try readBesideWriter() }
        if workload.isOfView { return try runView(workload) }
        let start = Stopwatch()
        switch workload {
        case .insertBatch, .insertBatchObserved: try insert(batch: WorkloadRunner.batch)
        case .insertSingle, .insertSingleObserved: try insert(batch: 1)
        case .bulk: try bulk()
        case .readSnapshot: try readSnapshot()
        case .readSingle: try readSingle()
        case .readLent: try readLent()
        case .readKeys, .readKeysDocs: try readKeys(includeDocs: workload == .readKeysDocs)
        case .scan: try scan()
        case .scanLent: try scanLent()
        case .changes: try changes()
        case .update: try update()
        case .compact, .rewrite: _ = try database.compact()
        case .delete: try delete()
        case .forceInsert: try forceInsert(histories)
        case .updateTen: try update(each: 10)
        case .updateThousand: try update(each: 1000)
        case .branches: try database.inTransaction { try insertBranches() }
        case .branchesSingle: try insertBranches()
        case .branchesDelete: try deleteBranches()
        default: break
        }
        var measurement = start.measurement(of: lines.count)
        measurement.bytesOnDisk = try database.statistics().bytesOnDisk
        try observers?.finish()
        return measurement
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

    private func readLent() throws {
        try database.read { snapshot in
            for turn in lines.indices {
                let id = id(People.randomDocument(turn, of: lines.count))
                let isThere = try snapshot.withJSON(of: id) { (json) throws(StorageError) in
                    checksum &+= UInt64(json.byteCount) &+ UInt64(WorkloadRunner.firstByte(json))
                }
                guard isThere else { throw WorkloadRunner.missing }
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

    private func readBesideWriter() throws -> Measurement {
        let random = randomIDs
        let latencies = try ReadersBesideWriter(database, lines: lines) { People.documentID($0, random: random) }.run()
        return Measurement(
            opsPerSecond: latencies.readsPerSecond,
            opsPerCPUSecond: 0,
            idleP99: latencies.idle,
            p99: latencies.besideWriter
        )
    }

    private func scanLent() throws {
        var rows = 0
        try database.read { snapshot in
            try snapshot.forEachDocument(DocumentQuery(includeBodies: true)) { (row) throws(StorageError) in
                rows += 1
                checksum &+= row.sequence &+ row.withBody { UInt64(WorkloadRunner.firstByte($0)) }
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

    /// Any digests will do if no two documents share one.
    private func makeHistories() throws -> [[RevisionID]] {
        var digest: (high: UInt64, low: UInt64) = (0x9E37_79B9_7F4A_7C15, 0)
        return try lines.map { _ in
            try (1...10).reversed().map { (generation: UInt64) in
                digest = (digest.high &* 0xD134_2543_DE82_EF95 &+ 1, digest.low &+ 1)
                return try RevisionID(generation: generation, digest: digest)
            }
        }
    }

    private func forceInsert(_ histories: [[RevisionID]]) throws {
        try inBatches { index in
            try database[id(index)].forceInsert(json: lines[index], history: histories[index])
        }
    }

    /// Makes as many updates as there are lines. The first revision of a document counts as one.
    private func update(each count: Int) throws {
        var parent: RevisionID?
        try inBatches { index in
            if index % count == 0 { parent = nil }
            parent = try database[id(index / count)].put(json: lines[index], parent: parent).id
        }
    }

    private func delete() throws {
        try inBatches { index in _ = try database[id(index)].delete() }
    }

    func inBatches(_ body: (Int) throws -> Void) throws {
        for first in stride(from: 0, to: lines.count, by: WorkloadRunner.batch) {
            try database.inTransaction {
                for index in first..<min(first + WorkloadRunner.batch, lines.count) { try body(index) }
            }
        }
    }

    private static func refuse(_ failure: ImportFailure) throws { throw failure.error }

    private static func found(_ json: [UInt8]?) throws -> [UInt8] {
        guard let json else { throw missing }
        return json
    }

    static var missing: StorageError {
        StorageError(.unexpected, "A document that was inserted is missing.")
    }

    private static func firstByte(_ bytes: RawSpan) -> UInt8 {
        unsafe bytes.withUnsafeBytes { unsafe $0.first ?? 0 }
    }

    static func expect(_ rows: Int, _ documents: Int) throws {
        guard rows == documents else { throw StorageError(.unexpected, "A scan did not give every document.") }
    }
}

/// Text that any thread can take piece by piece.
private final class Pieces: Sendable {
    private let rest: Locked<ArraySlice<[UInt8]>>

    init(_ pieces: [[UInt8]]) { rest = Locked(pieces[...]) }

    func next() -> [UInt8]? { rest.withLock { $0.popFirst() } }
}
