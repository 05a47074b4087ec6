internal import StorageProtocol

/// The positions of the parts of an export.
struct ExportIndex: Sendable {
    struct Document: Sendable {
        var offset: UInt64
        var length: UInt64
        /// The highest sequence of its revisions; 0 if the export has none.
        var sequence: UInt64
    }

    struct Blob: Sendable {
        var digest: BlobDigest
        var offset: UInt64
        var length: UInt64
    }

    /// The lines of info values and local documents.
    var values: Range<UInt64> = 0..<0
    /// In the order of their IDs.
    var documents: [Document] = []
    /// In the order of their digests.
    var blobs: [Blob] = []
    /// Info values that identify the exported database.
    var identity: [String: [UInt8]] = [:]
    /// Whether all documents have sequences.
    var isNumbered = true
    var lastSequence: UInt64?
    var summary = ExportSummary()
    var end: UInt64 = 0

    func blob(_ digest: BlobDigest) -> Blob? {
        var low = 0
        var high = blobs.count
        while low < high {
            let middle = (low + high) / 2
            if blobs[middle].digest < digest { low = middle + 1 } else { high = middle }
        }
        return low < blobs.count && blobs[low].digest == digest ? blobs[low] : nil
    }
}

/// A SHA-1 without a separate allocation, because there may be many.
struct BlobDigest: Hashable, Comparable, Sendable {
    private let high: UInt64
    private let middle: UInt64
    private let low: UInt32

    /// - Parameter bytes: 20 bytes.
    init(_ bytes: [UInt8]) {
        func number(_ range: Range<Int>) -> UInt64 { bytes[range].reduce(0) { $0 << 8 | UInt64($1) } }
        precondition(bytes.count == 20, "a SHA-1 has 20 bytes")
        high = number(0..<8)
        middle = number(8..<16)
        low = UInt32(truncatingIfNeeded: number(16..<20))
    }

    var bytes: [UInt8] {
        [high, middle].flatMap { word in (0..<8).map { UInt8(truncatingIfNeeded: word >> (56 - 8 * $0)) } }
            + (0..<4).map { UInt8(truncatingIfNeeded: low >> (24 - 8 * $0)) }
    }

    static func < (a: BlobDigest, b: BlobDigest) -> Bool { (a.high, a.middle, a.low) < (b.high, b.middle, b.low) }
}

/// A set of numbers, most of which are close together.
struct SequenceSet {
    private var words: [UInt64: UInt64] = [:]

    /// - Returns: False if it was already present.
    mutating func insert(_ number: UInt64) -> Bool {
        let bit: UInt64 = 1 << (number & 63)
        let before = words[number >> 6, default: 0]
        words[number >> 6] = before | bit
        return before & bit == 0
    }
}
