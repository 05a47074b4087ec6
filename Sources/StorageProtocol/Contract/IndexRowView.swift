/// A row of an index. Valid only inside the closure that receives it.
@safe
public struct IndexRowView: ~Copyable {
    /// The row's number among the rows that its document emitted, from 0.
    public let emit: UInt32
    private let keyBytes: UnsafeRawBufferPointer
    private let idBytes: UnsafeRawBufferPointer
    private let keyJSONBytes: UnsafeRawBufferPointer
    private let valueJSONBytes: UnsafeRawBufferPointer?
    /// Outlives the view, which ends when the closure that receives it returns. Counting the reference would cost time
    /// at every row.
    private unowned(unsafe) let sequences: any IndexSequenceSource

    /// For engines. The buffers must stay unchanged, and `sequences` alive, until the closure that receives the view
    /// returns.
    @unsafe
    public init(
        emit: UInt32,
        key: UnsafeRawBufferPointer,
        id: UnsafeRawBufferPointer,
        keyJSON: UnsafeRawBufferPointer,
        valueJSON: UnsafeRawBufferPointer?,
        sequences: any IndexSequenceSource
    ) {
        self.emit = emit
        unsafe self.keyBytes = key
        unsafe self.idBytes = id
        unsafe self.keyJSONBytes = keyJSON
        unsafe self.valueJSONBytes = valueJSON
        unsafe self.sequences = sequences
    }

    /// Returns the sequence passed to the last replacement of the document's rows, whether or not they changed. Looked
    /// up at each call.
    ///
    /// - Throws: `notImplemented` (501) if the index keeps no sequences; `corrupt` (591) if the store has lost it.
    public func sequence() throws(StorageError) -> UInt64 {
        let source = unsafe sequences
        return try unsafe source.sequence(of: idBytes.bytes)
    }

    /// Passes the sort key to `use`.
    public func withKey<R, E: Error>(_ use: (RawSpan) throws(E) -> R) throws(E) -> R { try unsafe use(keyBytes.bytes) }
    /// Passes the ID of the document that emitted the row to `use`.
    public func withID<R, E: Error>(_ use: (RawSpan) throws(E) -> R) throws(E) -> R { try unsafe use(idBytes.bytes) }
    /// Passes the emitted key to `use`, as JSON text.
    public func withKeyJSON<R, E: Error>(_ use: (RawSpan) throws(E) -> R) throws(E) -> R {
        try unsafe use(keyJSONBytes.bytes)
    }
    /// Passes the emitted value to `use`, as JSON text. Returns nil if no value was emitted.
    public func withValueJSON<R, E: Error>(_ use: (RawSpan) throws(E) -> R) throws(E) -> R? {
        guard let bytes = unsafe valueJSONBytes else { return nil }
        return try unsafe use(bytes.bytes)
    }
}
