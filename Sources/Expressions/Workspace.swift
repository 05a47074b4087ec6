internal import SetteeDocumentValues
internal import StorageProtocol

/// What the evaluation of one document may still use, and memory that its steps share.
struct Workspace {
    /// What a condition, an element or a name takes besides, in bytes.
    static let step = 128
    /// What one byte takes in a collation key.
    static let keyByte = 8

    /// Memory for collation keys.
    var key: [UInt8] = []
    /// Nanoseconds of processor time for regular expressions.
    var searchTime = Int64(MangoSelector.maximumSearchTime) * 1_000_000
    private var work = MangoSelector.maximumWork

    /// Counts work, in bytes that are skipped.
    ///
    /// - Throws: `badRequest` (400) if there has been too much.
    @inline(__always)
    mutating func count(_ bytes: Int, times factor: Int = 1) throws(StorageError) {
        // No text has more than 2^28 bytes, so that nothing overflows.
        work -= bytes &* factor
        guard work >= 0 else { throw SelectorFault.tooMuchWork }
    }

    /// Makes the collation key of a value in `key`.
    mutating func makeKey(of value: RawSpan, isRaw: Bool) throws(StorageError) {
        try count(value.byteCount, times: Workspace.keyByte)
        key.removeAll(keepingCapacity: true)
        try Operand.collator(isRaw).encode(value, into: &key)
    }
}
