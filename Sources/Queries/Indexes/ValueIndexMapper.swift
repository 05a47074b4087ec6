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

    func makeRowMaker() -> RowMaker { .documents(ValueIndexDocumentMapper(index)) }
}

/// Makes the row of one document after another.
private final class ValueIndexDocumentMapper: DocumentMapper {
    let trie: PathTrie
    private var maker: ValueIndexRowMaker

    init(_ index: ValueIndex) {
        trie = index.trie
        maker = ValueIndexRowMaker(index)
    }

    func map(
        _ body: RawSpan,
        _ found: FoundPlaces,
        id: RawSpan,
        revision: RawSpan,
        into rows: inout EmittedRows
    ) throws(StorageError) {
        try maker.addRow(body, found, id, revision, to: &rows)
    }
}
