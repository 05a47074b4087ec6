internal import SetteeDocumentValues
internal import SetteeEngine
internal import StorageProtocol

/// Rows of one state, in a single block of memory.
final class RowPage: Sendable {
    /// The parts of a row, as ranges of the page's bytes.
    struct Entry: Sendable {
        /// Nil: a reduced row of no group.
        var key: Range<Int>?
        /// Nil: the row has none.
        var value: Range<Int>?
        /// Nil: the row of a group.
        var id: Range<Int>?
        /// 0: was not read.
        var sequence: UInt64 = 0
        var hasDocumentValue = false
    }

    let database: Database
    /// The index in which the rows' sequences can be looked up; nil: all of them are here, or there are none.
    let index: String?
    /// Whether these are rows of a query over all documents.
    let isOfDocuments: Bool
    let entries: [Entry]
    private let bytes: [UInt8]
    /// The revisions that were read for `includeDocs` and for values that are whole documents, by row.
    let revisions: [Int: SavedRevision]

    init(
        database: Database,
        index: String?,
        isOfDocuments: Bool,
        bytes: [UInt8],
        entries: [Entry],
        revisions: [Int: SavedRevision]
    ) {
        self.database = database
        self.index = index
        self.isOfDocuments = isOfDocuments
        self.bytes = bytes
        self.entries = entries
        self.revisions = revisions
    }

    func value(_ range: Range<Int>) -> JSONValue {
        unsafe bytes.withUnsafeBytes { bytes in
            unsafe JSONScanner.value(UnsafeRawBufferPointer(rebasing: bytes[range]).bytes)
        } ?? .null
    }

    func text(_ range: Range<Int>) -> String { String(decoding: bytes[range], as: UTF8.self) }

    /// Returns a part of a row as canonical JSON.
    func json(_ range: Range<Int>) -> [UInt8] { Array(bytes[range]) }

    /// Passes a part of a row to `use`.
    func with<R>(_ range: Range<Int>, _ use: (RawSpan) -> R) -> R {
        let bytes = bytes
        return unsafe use(bytes.span.bytes.extracting(range))
    }

    func areEqual(_ range: Range<Int>?, _ other: RowPage, _ otherRange: Range<Int>?) -> Bool {
        guard let range, let otherRange else { return (range == nil) == (otherRange == nil) }
        return range.count == otherRange.count && bytes[range].elementsEqual(other.bytes[otherRange])
    }
}

/// Fills a page.
struct RowPageWriter {
    private(set) var bytes: [UInt8] = []
    private(set) var entries: [RowPage.Entry] = []
    private(set) var revisions: [Int: SavedRevision] = [:]

    var count: Int { entries.count }

    mutating func append(_ part: RawSpan) -> Range<Int> {
        let start = bytes.count
        unsafe part.withUnsafeBytes { unsafe bytes.append(contentsOf: $0) }
        return start..<bytes.count
    }

    mutating func append(_ part: [UInt8]) -> Range<Int> {
        let start = bytes.count
        bytes.append(contentsOf: part)
        return start..<bytes.count
    }

    /// Sorts the last rows by `places`, which has one number for each of them.
    mutating func sortLastRows(by places: [Int]) {
        guard zip(places, places.dropFirst()).contains(where: { $0 > $1 }) else { return }
        let start = entries.count - places.count
        let order = places.indices.sorted { places[$0] < places[$1] }
        let (old, oldRevisions) = (entries, revisions)
        for (new, before) in order.enumerated() {
            entries[start + new] = old[start + before]
            revisions[start + new] = oldRevisions[start + before]
        }
    }

    /// Appends a text as a JSON string.
    mutating func append(json text: String) -> Range<Int> {
        let start = bytes.count
        JSONText.append(text, to: &bytes)
        return start..<bytes.count
    }

    /// Appends `{"rev":...}`.
    mutating func append(revision: String) -> Range<Int> {
        let start = bytes.count
        bytes.append(contentsOf: "{\"rev\":".utf8)
        JSONText.append(revision, to: &bytes)
        bytes.append(UInt8(ascii: "}"))
        return start..<bytes.count
    }

    mutating func add(_ entry: RowPage.Entry) { entries.append(entry) }
    mutating func setRevision(_ revision: SavedRevision, ofRow row: Int) { revisions[row] = revision }

    func page(of database: Database, index: String?, isOfDocuments: Bool = false) -> RowPage {
        RowPage(
            database: database,
            index: index,
            isOfDocuments: isOfDocuments,
            bytes: bytes,
            entries: entries,
            revisions: revisions
        )
    }
}
