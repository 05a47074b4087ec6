/// A cursor over the entries of an index. It can move to any key and from there to the following entries. It reads
/// ahead as `IndexRowCursor` does, and belongs to its transaction's thread.
public final class IndexEntryCursor {
    private let reader: any IndexReader
    private let name: String
    private let descending: Bool
    private var page: [(key: [UInt8], value: [UInt8])] = []
    /// The number of the current entry in the page; nil: the cursor has no position.
    private var place: Int?
    private var entriesAtATime = 1

    private static let mostEntries = 256
    private static let mostBytes = 64 << 10

    init(_ reader: any IndexReader, _ name: String, descending: Bool) {
        self.reader = reader
        self.name = name
        self.descending = descending
    }

    /// Moves to the entry `key` or the next one after it. A descending cursor moves to that entry or the one before it.
    ///
    /// - Parameter key: Nil: the beginning, or the end if the cursor is descending.
    /// - Returns: False if there is no such entry or no such index. The cursor then has no position.
    /// - Complexity: O(log entries), or O(1) if the entry was read ahead.
    public func seek(_ key: [UInt8]?) throws(StorageError) -> Bool {
        if let key, place != nil, order(0, key) < 0, let known = page.indices.first(where: { order($0, key) >= 0 }) {
            place = known
            return true
        }
        entriesAtATime = 1
        return try read(from: key.map { .including($0) } ?? .open)
    }

    /// Moves to the next entry. Returns false at the end, and if the cursor has no position.
    public func next() throws(StorageError) -> Bool {
        guard let place else { return false }
        if place + 1 < page.count {
            self.place = place + 1
            return true
        }
        entriesAtATime = min(2 * entriesAtATime, IndexEntryCursor.mostEntries)
        return try read(from: .excluding(page[place].key))
    }

    /// Passes the current entry to `body`.
    ///
    /// - Throws: `badParameter` (495) if the cursor has no position, and the error of `body`.
    public func withEntry<R>(
        _ body: (_ key: RawSpan, _ value: RawSpan) throws(StorageError) -> R
    ) throws(StorageError) -> R {
        guard let place else {
            throw StorageError(.badParameter, "The cursor stands at no entry. Seek one that is there.")
        }
        let (key, value) = page[place]
        return try unsafe body(key.span.bytes, value.span.bytes)
    }

    private func read(from bound: ByteRange.Bound) throws(StorageError) -> Bool {
        var entries: [(key: [UInt8], value: [UInt8])] = []
        var bytes = 0
        let range = descending ? ByteRange(upper: bound) : ByteRange(lower: bound)
        try reader.indexEntries(name, in: range, descending: descending) { (key, value) in
            bytes += key.byteCount + value.byteCount
            entries.append(
                (unsafe key.withUnsafeBytes { unsafe Array($0) }, unsafe value.withUnsafeBytes { unsafe Array($0) })
            )
            return entries.count < entriesAtATime && bytes < IndexEntryCursor.mostBytes
        }
        page = entries
        place = entries.isEmpty ? nil : 0
        return place != nil
    }

    /// Negative if an entry comes before `key` in the cursor's direction.
    private func order(_ entry: Int, _ key: [UInt8]) -> Int {
        let order = compareBytes(page[entry].key, key)
        return descending ? -order : order
    }
}

extension IndexReader {
    /// Returns a cursor over the entries of an index. It has no position before `seek`.
    public func indexEntryCursor(_ name: String, descending: Bool = false) -> IndexEntryCursor {
        IndexEntryCursor(self, name, descending: descending)
    }
}
