/// A row of an index, valid only inside the closure it is handed to.
@safe
public struct IndexRowView: ~Copyable {
    /// The row's number among those its document emitted, from 0.
    public let emit: UInt32
    private let keyBytes: UnsafeRawBufferPointer
    private let idBytes: UnsafeRawBufferPointer
    private let keyJSONBytes: UnsafeRawBufferPointer
    private let valueJSONBytes: UnsafeRawBufferPointer?
    /// Lives until the closure that gets the view returns: a reference that is counted would cost every row.
    private unowned(unsafe) let sequences: any IndexSequenceSource

    /// For engines. The buffers must stay as they are, and `sequences` live, until the closure that gets the view
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

    /// The sequence that the last replacement of the document's rows gave, changed or not. Looked up at each call.
    ///
    /// - Throws: `notImplemented` (501) where the index keeps none; `corrupt` (591) where the store has lost it.
    public func sequence() throws(StorageError) -> UInt64 {
        let source = unsafe sequences
        return try unsafe source.sequence(of: idBytes.bytes)
    }

    /// The sort key.
    public func withKey<R, E: Error>(_ use: (RawSpan) throws(E) -> R) throws(E) -> R { try unsafe use(keyBytes.bytes) }
    /// The ID of the document that emitted the row.
    public func withID<R, E: Error>(_ use: (RawSpan) throws(E) -> R) throws(E) -> R { try unsafe use(idBytes.bytes) }
    /// The emitted key as JSON text.
    public func withKeyJSON<R, E: Error>(_ use: (RawSpan) throws(E) -> R) throws(E) -> R {
        try unsafe use(keyJSONBytes.bytes)
    }
    /// The emitted value as JSON text; nil where none was emitted.
    public func withValueJSON<R, E: Error>(_ use: (RawSpan) throws(E) -> R) throws(E) -> R? {
        guard let bytes = unsafe valueJSONBytes else { return nil }
        return try unsafe use(bytes.bytes)
    }
}
