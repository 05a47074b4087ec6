internal import SetteeDocumentValues
internal import StorageProtocol

/// What the evaluation of one document may still use, and memory that its steps share.
@safe
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
    /// The number that was read last, and where it is: operators on one field read the same one.
    private var number: (place: UnsafeRawPointer?, length: Int, value: Double?) = (nil, 0, nil)

    /// Counts work, in bytes that are skipped.
    ///
    /// - Throws: `badRequest` (400) if there has been too much.
    @inline(__always)
    mutating func count(_ bytes: Int, times factor: Int = 1) throws(StorageError) {
        // No text has more than 2^28 bytes, so that nothing overflows.
        work -= bytes &* factor
        guard work >= 0 else { throw SelectorFault.tooMuchWork }
    }

    /// Returns the value of a short number, or nil for any other text; see `ShortNumber`. The text must stay where it
    /// is as long as this is used.
    mutating func shortNumber(_ text: RawSpan) -> Double? {
        let place = unsafe text.withUnsafeBytes { $0.baseAddress }
        if unsafe place != number.place || text.byteCount != number.length {
            unsafe number = (place, text.byteCount, ShortNumber.value(text))
        }
        return unsafe number.value
    }

    /// Makes the collation key of a value in `key`.
    mutating func makeKey(of value: RawSpan, isRaw: Bool) throws(StorageError) {
        try count(value.byteCount, times: Workspace.keyByte)
        key.removeAll(keepingCapacity: true)
        try Operand.collator(isRaw).encode(value, into: &key)
    }
}
