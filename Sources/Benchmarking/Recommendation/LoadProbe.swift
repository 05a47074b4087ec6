internal import Foundation
internal import Settee
internal import SetteeBenchmarkResults
internal import StorageProtocol

/// Does the operations of a load on a sample of its documents, and measures each.
struct LoadProbe {
    private static let bulk = 1000
    private static let reads = 4000
    private static let lists = 50
    private static let rows = 100
    /// How many commits are timed at most: enough for each engine to have moved its log into its file a few times.
    private static let commits = 2000

    private let load: LoadDescription
    private let documents: DocumentSet
    private let folder: URL
    /// After so many seconds no other commit begins: with durability full one may take milliseconds.
    private let longest: Double

    /// How many documents are enough: as many as fill some megabytes.
    static func sample(of load: LoadDescription) -> Int {
        max(16, min(max(load.documents, 200), 20_000, (32 << 20) / max(load.documentBytes, 64)))
    }

    /// The most bytes of documents that one kind of operation reads or writes.
    private static let most = 64 << 20

    /// How often something of `documents` documents is done: `count` times, unless they are large.
    private func times(_ count: Int, documents: Int = 1) -> Int {
        max(1, min(count, LoadProbe.most / max(1, load.documentBytes * documents)))
    }

    init(_ load: LoadDescription, seed: UInt64, folder: URL, longest: Double) {
        self.load = load
        self.folder = folder
        self.longest = longest
        documents = DocumentSet(
            load.source ?? .sized(max(load.documentBytes, SizedDocument.least)),
            count: LoadProbe.sample(of: load),
            randomIDs: false,
            seed: seed
        )
    }

    func measure(_ candidate: LoadCandidate) throws -> LoadSample {
        let options = DatabaseOptions(
            storageType: candidate.storageType,
            durability: load.durability,
            compression: candidate.compression,
            key: try StorageKey.random(for: candidate.storageType)
        )
        return try Manager(directory: folder).withNewDatabase(options, measure)
    }

    private func measure(_ database: Database) throws -> LoadSample {
        let sampler = MemorySampler()
        var sample = LoadSample()
        let kinds = load.parts
        let view = try view(database)
        sample.batchedInsert = try fill(database)
        sample.bytesPerDocument = try database.statistics().dataBytes / Double(documents.count)
        if let view { try view.updateIndex() }
        if kinds["read"] != nil { sample.costs["read"] = try read(database) }
        if kinds["scan"] != nil { sample.costs["scan"] = try scan(database) }
        if kinds["query"] != nil, let view { sample.costs["query"] = try query(view) }
        for (kind, body) in [("insert", insert), ("update", update)] where kinds[kind] != nil {
            let (cost, written) = try body(database)
            sample.costs[kind] = try cost + (view.map { try indexing($0, written) } ?? 0)
        }
        if kinds["attach"] != nil { sample.costs["attach"] = try attach(database) }
        sample.peakMemory = sampler?.finish()
        return sample
    }

    /// Defines the view that queries read; nil if there are none.
    private func view(_ database: Database) throws -> DatabaseView? {
        guard load.parts["query"] != nil else { return nil }
        guard let place = documents.places.number ?? documents.places.group else {
            throw StorageError(.badParameter, "The documents have no member for a view. Leave queries out of the load.")
        }
        let view = database.view("load")
        try view.define(ViewDefinition(keys: [try JSONPointer(place)]))
        return view
    }

    /// Inserts the sample, and returns microseconds of a document.
    private func fill(_ database: Database) throws -> Double {
        let start = Stopwatch()
        for first in stride(from: 0, to: documents.count, by: LoadProbe.bulk) {
            try database.inTransaction {
                for index in first..<min(first + LoadProbe.bulk, documents.count) {
                    try database[documents.id(index)].put(json: documents.body(index))
                }
            }
        }
        return start.seconds * 1e6 / Double(documents.count)
    }

    private func read(_ database: Database) throws -> Double {
        var sum: UInt64 = 0
        let start = Stopwatch()
        let reads = times(LoadProbe.reads)
        for turn in 0..<reads {
            let id = documents.id(People.randomDocument(turn, of: documents.count))
            sum &+= touch(try WorkloadRun.found(try database[id].json()))
        }
        return cost(start, reads, sum)
    }

    private func scan(_ database: Database) throws -> Double {
        var sum: UInt64 = 0
        let start = Stopwatch()
        let lists = times(LoadProbe.lists, documents: LoadProbe.rows)
        for turn in 0..<lists {
            let first = documents.id(People.randomDocument(turn, of: max(1, documents.count - LoadProbe.rows)))
            let query = DocumentQuery(startKey: first, limit: LoadProbe.rows, includeBodies: true)
            try database.read { snapshot in
                try snapshot.forEachDocument(query) { (row) throws(StorageError) in
                    sum &+= row.withBody { touch($0) }
                    return true
                }
            }
        }
        return cost(start, lists, sum)
    }

    private func query(_ view: DatabaseView) throws -> Double {
        var sum: UInt64 = 0
        // A hundred rows each, whatever the keys are.
        var keys: [[UInt8]] = []
        try view.query().forEach { row in keys.append(Array(row.keyJSON ?? [])) }
        let starts = try (0..<LoadProbe.lists).map { turn in
            let place = Int(People.mix(UInt64(turn)) % UInt64(max(1, keys.count - LoadProbe.rows)))
            return keys.isEmpty ? .null : try JSONValue(parsing: keys[place])
        }
        let start = Stopwatch()
        for key in starts {
            try view.query(startKey: key, limit: LoadProbe.rows).forEach { row in
                sum &+= UInt64(row.keyJSON?.count ?? 0)
            }
        }
        return cost(start, LoadProbe.lists, sum)
    }

    private func insert(_ database: Database) throws -> (cost: Double, written: Int) {
        try write { index in
            try database[documents.id(documents.count + index)].put(json: documents.body(index))
        }(database)
    }

    private func update(_ database: Database) throws -> (cost: Double, written: Int) {
        try write { index in
            let document = database[documents.id(People.randomDocument(index, of: documents.count))]
            let parent = try document.currentRevision?.id
            try document.put(json: documents.body(index + 7), parent: parent)
        }(database)
    }

    /// Writes in transactions of the load's size.
    private func write(_ body: @escaping (Int) throws -> Void) -> (Database) throws -> (cost: Double, written: Int) {
        { database in
            let batch = times(load.batch)
            let commits = min(
                max(1, min(LoadProbe.commits, 10_000 / batch)),
                times(LoadProbe.commits, documents: batch)
            )
            var written = 0
            let start = Stopwatch()
            for _ in 0..<commits where start.seconds < longest {
                try database.inTransaction {
                    for _ in 0..<batch {
                        try body(written)
                        written += 1
                    }
                }
            }
            return (start.seconds * 1e6 / Double(written), written)
        }
    }

    /// Returns microseconds of bringing the view up to date, by document that was written.
    private func indexing(_ view: DatabaseView, _ written: Int) throws -> Double {
        let start = Stopwatch()
        try view.updateIndex()
        return start.seconds * 1e6 / Double(written)
    }

    private func attach(_ database: Database) throws -> Double {
        let count = max(2, min(50, (16 << 20) / max(load.attachmentBytes, 1)))
        var content = [UInt8](repeating: 7, count: max(load.attachmentBytes, 8))
        let start = Stopwatch()
        for index in 0..<count {
            unsafe content.withUnsafeMutableBytes { unsafe $0.storeBytes(of: UInt64(index), as: UInt64.self) }
            _ = try database["attached-\(index)"].setAttachment(named: "content", content: content)
        }
        return start.seconds * 1e6 / Double(count)
    }

    /// - Parameter sum: of what was read, so that the compiler leaves no read out.
    private func cost(_ start: Stopwatch, _ count: Int, _ sum: UInt64) -> Double {
        start.seconds * 1e6 / Double(count) + (sum == 1 ? 1e-9 : 0)
    }
}

extension DatabaseStatistics {
    /// The size that the data has once a log was moved into it, in bytes. A log of SQLite may be as large again.
    var dataBytes: Double {
        let numbers = ["pageCount", "pageSize"].compactMap { name in
            details.first { $0.name == name }.flatMap { Double($0.value) }
        }
        return numbers.count == 2 ? numbers[0] * numbers[1] : Double(bytesOnDisk)
    }
}
