/// The texts of some of the documents of `_bulk_docs`.
struct BulkBatch: Sendable {
    private var bytes: [UInt8] = []
    private var ranges: [Range<Int>] = []

    /// A batch of this size is written.
    static let fullSize = 4 << 20
    /// What is kept of a document beside its text, so that empty ones count, too.
    private static let overhead = 32

    /// - Parameter isFirst: Whether there may be few documents.
    init(isFirst: Bool) {
        if !isFirst { bytes.reserveCapacity(BulkBatch.fullSize + BulkBatch.fullSize / 8) }
    }

    var count: Int { ranges.count }

    /// About how many bytes of memory it takes.
    var size: Int { bytes.count + ranges.count * BulkBatch.overhead }

    /// Adds a document whose text is in two parts, of which the first may be empty.
    mutating func append(_ beginning: [UInt8], _ end: ArraySlice<UInt8>) {
        let start = bytes.count
        bytes += beginning
        bytes += end
        ranges.append(start..<bytes.count)
    }

    /// Removes the documents, and keeps the memory for others.
    mutating func removeAll() {
        bytes.removeAll(keepingCapacity: true)
        ranges.removeAll(keepingCapacity: true)
    }

    /// Some of the documents, parsed one by one, so that one that cannot be read is an error of its own.
    func documents(_ some: Range<Int>) -> [BulkDocument] {
        ranges[some].map { BulkDocument(unsafe bytes.span.bytes.extracting($0)) }
    }
}
