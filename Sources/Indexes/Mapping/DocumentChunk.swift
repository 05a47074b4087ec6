internal import SetteeEngine
internal import StorageProtocol

/// Some documents in the order of their sequences, copied from one snapshot so that any thread can map them.
package final class DocumentChunk: Sendable {
    /// One document. The ranges are offsets in the chunk's bytes.
    package struct Entry: Sendable {
        package var id: Range<Int>
        /// Empty if no mapper reads it.
        package var winner: Range<Int>
        /// Nil: it is in no index, because it was deleted or purged, or is a design document that no mapper sees.
        package var body: Range<Int>?
        package var sequence: UInt64
        package var isDesign = false
        package var conflicts: [String] = []
    }

    /// Documents for one mapper: those of a part of the chunk that the index has not seen.
    package struct Group: Sequence {
        let entries: ArraySlice<Entry>
        /// The last sequence that the index has seen.
        let after: UInt64

        package func makeIterator() -> Iterator { Iterator(rest: entries.makeIterator(), after: after) }

        package struct Iterator: IteratorProtocol {
            var rest: ArraySlice<Entry>.Iterator
            let after: UInt64

            package mutating func next() -> Entry? {
                while let entry = rest.next() {
                    if entry.sequence > after { return entry }
                }
                return nil
            }
        }
    }

    let entries: [Entry]
    /// The last sequence that the chunk covers, including sequences after the last entry that nothing has.
    let last: UInt64
    @usableFromInline let bytes: [UInt8]

    init(bytes: [UInt8], entries: [Entry], last: UInt64) {
        self.bytes = bytes
        self.entries = entries
        self.last = last
    }

    /// How many bytes the documents and their IDs take.
    var byteCount: Int { bytes.count }

    package func text(_ range: Range<Int>) -> String { String(decoding: bytes[range], as: UTF8.self) }

    /// Passes the ID's bytes to `use`.
    @inlinable
    package func withID<R, E: Error>(_ entry: Entry, _ use: (RawSpan) throws(E) -> R) throws(E) -> R {
        try with(entry.id, use)
    }

    /// Passes the revision ID's bytes to `use`.
    @inlinable
    package func withWinner<R, E: Error>(_ entry: Entry, _ use: (RawSpan) throws(E) -> R) throws(E) -> R {
        try with(entry.winner, use)
    }

    /// Passes the body to `use`; it is empty if there is none.
    @inlinable
    package func withBody<R, E: Error>(_ entry: Entry, _ use: (RawSpan) throws(E) -> R) throws(E) -> R {
        try with(entry.body ?? 0..<0, use)
    }

    @inlinable
    func with<R, E: Error>(_ range: Range<Int>, _ use: (RawSpan) throws(E) -> R) throws(E) -> R {
        let bytes = bytes
        return try unsafe use(bytes.span.bytes.extracting(range))
    }
}
