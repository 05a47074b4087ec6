internal import SetteeEngine
internal import StorageProtocol

/// Some documents in the order of their sequences, copied from one snapshot so that any thread can map them.
final class DocumentChunk: Sendable {
    /// One document. The ranges are offsets in the chunk's bytes.
    struct Entry: Sendable {
        var id: Range<Int>
        /// Empty if no function reads it.
        var winner: Range<Int>
        /// Nil: it is in no index, because it was deleted or purged, or is a design document that no function sees.
        var body: Range<Int>?
        var sequence: UInt64
        var isDesign = false
        var conflicts: [String] = []
    }

    let entries: [Entry]
    /// The last sequence that the chunk covers, including sequences after the last entry that nothing has.
    let last: UInt64
    /// Whether the documents' IDs ascend with their sequences.
    let hasAscendingIDs: Bool
    private let bytes: [UInt8]

    init(bytes: [UInt8], entries: [Entry], last: UInt64, hasAscendingIDs: Bool = false) {
        self.hasAscendingIDs = hasAscendingIDs
        self.bytes = bytes
        self.entries = entries
        self.last = last
    }

    func text(_ range: Range<Int>) -> String { String(decoding: bytes[range], as: UTF8.self) }

    /// Passes the ID's bytes to `use`.
    func withID<R, E: Error>(_ entry: Entry, _ use: (RawSpan) throws(E) -> R) throws(E) -> R {
        try with(entry.id, use)
    }

    /// Passes the revision ID's bytes to `use`.
    func withWinner<R, E: Error>(_ entry: Entry, _ use: (RawSpan) throws(E) -> R) throws(E) -> R {
        try with(entry.winner, use)
    }

    /// Passes the body to `use`; it is empty if there is none.
    func withBody<R, E: Error>(_ entry: Entry, _ use: (RawSpan) throws(E) -> R) throws(E) -> R {
        try with(entry.body ?? 0..<0, use)
    }

    private func with<R, E: Error>(_ range: Range<Int>, _ use: (RawSpan) throws(E) -> R) throws(E) -> R {
        let bytes = bytes
        return try unsafe use(bytes.span.bytes.extracting(range))
    }
}
