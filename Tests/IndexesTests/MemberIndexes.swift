import Settee
import SetteeDocumentValues
import SetteeEngine
import SetteeIndexes
import SetteeTestSupport
import StorageProtocol

/// A second kind of indexes beside views: of the members that indexes are named after, the largest first.
struct MemberIndexes: IndexKind {
    let recordPrefix = "index-member/"
    let indexPrefix = "m/"
    let isTraced = false
    let seen: SeenDocuments

    var words: IndexWords {
        IndexWords(
            noun: "index",
            plural: "indexes",
            index: "index",
            mapper: "definition",
            rebuilding: "delete it",
            renewing: "make it anew",
            lackingMapper: "is not defined."
        )
    }

    func mapper(
        of name: IndexName,
        in database: Database,
        _ transaction: any ReadTransaction
    ) throws(StorageError) -> (any RowMapper)? {
        MemberMapper(member: name.string, seen: seen)
    }

    func order(of version: IndexVersion) -> KeyOrder? { MemberMapper.order }

    func label(of version: IndexVersion) -> String { version.text }
}

/// Has the complement of a value's key as sort key: the order is the opposite of the collator's.
struct MemberMapper: RowMapper, GroupMapper {
    let member: String
    let seen: SeenDocuments

    var version: IndexVersion { IndexVersion(stored: member) }
    var order: KeyOrder { MemberMapper.order }

    static let order = KeyOrder(partsBy: .raw) { sortKey, keyJSON in
        guard let key = try? MemberMapper.sortKey(of: keyJSON) else { return false }
        return unsafe compareBytes(key.span.bytes, sortKey) == 0
    }

    static func sortKey(of keyJSON: RawSpan) throws(StorageError) -> [UInt8] {
        var key: [UInt8] = []
        try Collator.raw.encode(keyJSON, into: &key)
        return key.map { ~$0 }
    }

    func makeRowMaker() -> RowMaker { .groups(self) }

    func map(
        _ group: DocumentChunk.Group,
        of chunk: DocumentChunk,
        into rows: inout EmittedRows
    ) throws(StorageError) -> DocumentChunk.Entry? {
        for entry in group {
            chunk.withID(entry) { id in rows.begin(id, sequence: entry.sequence) }
            if entry.body == nil { continue }
            seen.note(chunk.text(entry.id))
            chunk.withBody(entry) { body in
                guard let range = JSONScanner.range(ofMember: member, in: body) else { return }
                let value = body.extracting(range)
                guard let key = try? MemberMapper.sortKey(of: value) else { return rows.refuseBadRow() }
                unsafe rows.add(sortKey: key.span.bytes, keyJSON: value, valueJSON: nil)
            }
        }
        return nil
    }
}

/// The documents that mappers, on whatever threads, were given.
final class SeenDocuments: Sendable {
    private let ids = Locked<[String]>([])

    func note(_ id: String) { ids.withLock { $0.append(id) } }

    /// Those since the last time, in order.
    func take() -> [String] {
        ids.withLock { ids in
            defer { ids = [] }
            return ids.sorted()
        }
    }
}

extension TestDatabase {
    /// Reads an index with its tail, on the caller's snapshot.
    ///
    /// - Returns: the rows as "KEY ID"; nil: the tail is too long.
    func rows(
        _ name: IndexName,
        within limit: TailLimit = .standard,
        descending: Bool = false,
        in range: IndexRange = .all
    ) throws -> [String]? {
        try database.withReadTransaction { (transaction) throws(StorageError) -> [String]? in
            let snapshot = try IndexSnapshot(name, of: database, in: transaction)
            let found = try ReadableIndex(snapshot, of: database, in: transaction, tailWithin: limit, identity: nil)
            guard let found else { return nil }
            var rows: [String] = []
            try found.rows(in: range, descending: descending, transaction) { (row) throws(StorageError) in
                rows.append("\(row.withKeyJSON(text)) \(row.withID(text))")
                return true
            }
            return rows
        }
    }

    private func text(_ bytes: RawSpan) -> String {
        unsafe bytes.withUnsafeBytes { unsafe String(decoding: $0, as: UTF8.self) }
    }

    func claim(_ name: IndexName) throws {
        try database.change { (session) throws(StorageError) in
            guard let mapper = try name.kind.mapper(of: name, in: database, session.transaction) else { return }
            try IndexClaim.store(mapper, for: name, in: session)
        }
    }
}
