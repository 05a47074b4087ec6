internal import SetteeDocumentValues
internal import SetteeEngine
internal import SetteeExpressions
internal import SetteeIndexes
internal import StorageProtocol

/// Makes the row of each document of a value index from its stored text.
///
/// The key's JSON is the array of the fields, with null for a missing one: the sort key tells the two apart. For a
/// document with a value that is too large it is null, and the sort key `PartKey.unindexable`.
struct ValueIndexMapper: RowMapper {
    let index: ValueIndex

    static let order = KeyOrder(partsBy: .unicode) { sortKey, keyJSON in
        // Which parts are complemented is not known here. That the rows are those of the documents is checked beside.
        sortKey.byteCount > 0 && keyJSON.byteCount > 0
    }

    init(_ index: ValueIndex) { self.index = index }

    var version: IndexVersion { index.version }
    var order: KeyOrder { ValueIndexMapper.order }
    var readsRevisions: Bool { index.readsRevisions }

    func map(
        _ group: DocumentChunk.Group,
        of chunk: DocumentChunk,
        into rows: inout EmittedRows
    ) throws(StorageError) -> DocumentChunk.Entry? {
        var maker = ValueIndexRowMaker(index)
        for entry in group {
            chunk.withID(entry) { id in rows.begin(id, sequence: entry.sequence) }
            guard entry.body != nil, !entry.isDesign else { continue }
            try chunk.withBody(entry) { (body) throws(StorageError) in
                try chunk.withID(entry) { (id) throws(StorageError) in
                    try chunk.withWinner(entry) { (winner) throws(StorageError) in
                        try maker.addRow(body, id, winner, to: &rows)
                    }
                }
            }
        }
        return nil
    }

    func recordMapper() -> (any RecordMapper)? { ValueIndexRecordMapper(index) }
}

/// Makes the row of one document after another.
private final class ValueIndexRecordMapper: RecordMapper {
    private var maker: ValueIndexRowMaker
    private let readsRevisions: Bool

    init(_ index: ValueIndex) {
        maker = ValueIndexRowMaker(index)
        readsRevisions = index.readsRevisions
    }

    func map(_ record: borrowing RecordView, into rows: inout EmittedRows) throws(StorageError) {
        try record.withID { (id) throws(StorageError) in
            rows.begin(id, sequence: record.sequence)
            try record.withBody { (body) throws(StorageError) in
                guard readsRevisions else { return try maker.addRow(body, id, RawSpan(), to: &rows) }
                try record.withWinner { (winner) throws(StorageError) in
                    try maker.addRow(body, id, winner, to: &rows)
                }
            }
        }
    }
}
