import Settee
import SetteeTestSupport
import StorageProtocol
import Testing

@testable import SetteeEngine
@testable import SetteeViews

/// A row as a test knows it.
struct KnownRow {
    var key: [UInt8]
    var id: [UInt8]
    var emit: Int
    var keyJSON: JSONValue
    var valueJSON: JSONValue?
}

/// An index that is changed and reduced directly through an engine's transactions, and what should be in it.
final class ReductionFixture {
    static let index = "view"

    let engine: any StorageEngine
    let collator: Collator
    var tree: ReductionTree
    private var documents: [String: [KnownRow]] = [:]
    private var sequence: UInt64 = 0

    init(_ bed: TestDatabase, _ reduce: Reduce, collator: Collator = .unicode) throws {
        engine = try bed.engine()
        self.collator = collator
        tree = ReductionTree(index: ReductionFixture.index, reduce: reduce)
        let state = IndexState(version: "1", collationVersion: try collator.version)
        try engine.write { (transaction) throws(StorageError) in
            try transaction.setIndexState(ReductionFixture.index, state)
        }
    }

    /// All rows in their order.
    private(set) var rows: [KnownRow] = []

    private func sortRows() {
        rows = documents.values.flatMap(\.self).sorted { a, b in
            let keys = compareBytes(a.key, b.key)
            if keys != 0 { return keys < 0 }
            let ids = compareBytes(a.id, b.id)
            return ids == 0 ? a.emit < b.emit : ids < 0
        }
    }

    var ids: [String] { documents.keys.sorted() }

    /// Replaces the rows of documents; none removes them.
    func replace(_ changed: [String: [(key: JSONValue, value: JSONValue?)]]) throws {
        var batch = IndexBatch()
        for (id, emitted) in changed.sorted(by: { $0.key < $1.key }) {
            sequence += 1
            batch.begin(try DocumentID(id), sequence: sequence)
            var known: [KnownRow] = []
            for (emit, row) in emitted.enumerated() {
                let json = try row.key.canonicalBytes()
                let key = try key(row.key)
                batch.add(IndexRow(key: key, keyJSON: json, valueJSON: try row.value?.canonicalBytes()))
                known.append(KnownRow(key: key, id: Array(id.utf8), emit: emit, keyJSON: row.key, valueJSON: row.value))
            }
            documents[id] = known.isEmpty ? nil : known
        }
        sortRows()
        let rows = batch
        let tree = tree
        try engine.write { (transaction) throws(StorageError) in
            var changes = RowChanges(recordsPositions: true)
            try transaction.replaceIndexRows(tree.index, by: [rows], areNew: false, changes: &changes)
            _ = try tree.discardSummaries(for: changes, in: transaction)
        }
    }

    func key(_ value: JSONValue) throws(StorageError) -> [UInt8] {
        var key: [UInt8] = []
        let json = try value.canonicalBytes()
        try unsafe collator.encode(json.span.bytes, into: &key)
        return key
    }

    /// - Returns: whether everything is stored.
    @discardableResult
    func store(upTo rows: Int = .max) throws -> Bool {
        let tree = tree
        return try engine.write { (transaction) throws(StorageError) in
            try tree.storeSummaries(upTo: rows, in: transaction)
        }
    }

    func check() throws -> Int {
        let tree = tree
        return try engine.read { (transaction) throws(StorageError) in try tree.checkSummaries(in: transaction) }
    }

    /// What is stored with the rows.
    func summaries() throws -> [[UInt8]: [UInt8]] {
        try engine.read { (transaction) throws(StorageError) in
            var found: [[UInt8]: [UInt8]] = [:]
            try transaction.indexEntries(ReductionFixture.index, in: .all, descending: false) { key, value in
                found[unsafe key.withUnsafeBytes { unsafe Array($0) }] = unsafe value.withUnsafeBytes {
                    unsafe Array($0)
                }
                return true
            }
            return found
        }
    }

    func put(_ key: [UInt8], _ value: [UInt8]) throws {
        try engine.write { (transaction) throws(StorageError) in
            try transaction.putIndexEntry(ReductionFixture.index, key: key, value: value)
        }
    }

    func groups(
        _ grouping: ReductionGrouping = .none,
        in range: IndexRange = .all,
        descending: Bool = false,
        limit: Int = .max
    ) throws -> [ReducedGroup] {
        let transaction = try engine.beginRead()
        defer { transaction.end() }
        var groups: [ReducedGroup] = []
        let walk = GroupWalk(tree: tree, grouping: grouping, range: range, descending: descending)
        try walk.forEach(in: transaction) { group in
            groups.append(group)
            return groups.count < limit
        }
        return groups
    }

    func total(in range: IndexRange = .all) throws -> ReducedGroup? {
        let transaction = try engine.beginRead()
        defer { transaction.end() }
        return try tree.reduce(range: range, in: transaction)
    }

    /// The rows of each group, computed naively.
    func expectedGroups(
        _ grouping: ReductionGrouping,
        in range: IndexRange,
        descending: Bool
    ) throws -> [(key: JSONValue?, rows: [KnownRow])] {
        var groups: [(key: JSONValue?, rows: [KnownRow])] = []
        var last: JSONValue?
        var lastKey: [UInt8]?
        let within = rows.filter { range.contains($0) }
        for row in descending ? within.reversed() : within {
            var key: JSONValue?
            switch grouping {
            case .none: break
            case .exact: key = row.keyJSON
            case .level(let level, _):
                if let elements = row.keyJSON.arrayValue {
                    key = .array(Array(elements.prefix(level)))
                } else if level == 1 {
                    key = row.keyJSON
                } else {
                    continue
                }
            }
            if groups.isEmpty || key != last {
                let sortKey = try key.map { (value) throws(StorageError) in try self.key(value) } ?? []
                if sortKey != lastKey { groups.append((key, [])) }
                lastKey = sortKey
                last = key
            }
            groups[groups.count - 1].rows.append(row)
        }
        return groups
    }
}

/// Runs `body` with an index of an empty database.
func withReduction(
    _ type: StorageType,
    _ reduce: Reduce,
    collator: Collator = .unicode,
    _ body: (ReductionFixture) throws -> Void
) throws {
    try withDatabase(type) { bed in
        let index = try ReductionFixture(bed, reduce, collator: collator)
        try body(index)
        #expect(try index.check() == 0)
        try index.engine.write { (transaction) throws(StorageError) in try transaction.dropIndex(ReductionFixture.index)
        }
    }
}

extension IndexRange {
    func contains(_ row: KnownRow) -> Bool {
        func order(_ position: IndexPosition) -> Int {
            let keys = compareBytes(row.key, position.key)
            guard keys == 0, let id = position.documentID else { return keys }
            let ids = compareBytes(row.id, id)
            guard ids == 0, let emit = position.emit else { return ids }
            return row.emit - Int(emit)
        }
        let isAbove =
            switch lower {
            case .open: true
            case .including(let position): order(position) >= 0
            case .excluding(let position): order(position) > 0
            }
        let isBelow =
            switch upper {
            case .open: true
            case .including(let position): order(position) <= 0
            case .excluding(let position): order(position) < 0
            }
        return isAbove && isBelow
    }
}
