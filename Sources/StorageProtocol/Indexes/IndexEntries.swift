/// Entries to be written to an index (`IndexWriter.putIndexEntries`), in one block of memory.
///
/// Appending allocates no memory once the block has grown large enough; `removeAll` keeps it.
public struct IndexEntries: Sendable {
    private struct Place: Sendable {
        var start: Int
        var keyEnd: Int
        var end: Int
    }

    private var bytes: [UInt8] = []
    private var places: [Place] = []

    public init() {}

    /// How many entries there are.
    public var count: Int { places.count }

    /// Appends an entry.
    public mutating func append(key: RawSpan, value: RawSpan) {
        let start = bytes.count
        append(key)
        let keyEnd = bytes.count
        append(value)
        places.append(Place(start: start, keyEnd: keyEnd, end: bytes.count))
    }

    /// The maximum length of a key in bytes.
    public static let maximumKeyLength = 1 << 20

    /// For engines, before they write: checks the lengths of the keys.
    ///
    /// - Throws: `tooLarge` (413) for a key above `maximumKeyLength`.
    public func requireStorable() throws(StorageError) {
        for place in places where place.keyEnd - place.start > IndexEntries.maximumKeyLength {
            throw StorageError(
                .tooLarge,
                "The key of an index entry has \(place.keyEnd - place.start) bytes; at most 1 MiB are allowed."
            )
        }
    }

    /// Removes all entries.
    public mutating func removeAll() {
        bytes.removeAll(keepingCapacity: true)
        places.removeAll(keepingCapacity: true)
    }

    /// Passes the entries to `body` in the order in which they were added.
    public func forEach<E: Error>(_ body: (_ key: RawSpan, _ value: RawSpan) throws(E) -> Void) throws(E) {
        for place in places {
            let key = bytes.span.extracting(place.start..<place.keyEnd)
            let value = bytes.span.extracting(place.keyEnd..<place.end)
            try unsafe body(key.bytes, value.bytes)
        }
    }

    private mutating func append(_ more: RawSpan) {
        unsafe more.withUnsafeBytes { unsafe bytes.append(contentsOf: $0) }
    }
}
