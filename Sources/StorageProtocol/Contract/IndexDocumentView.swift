/// A document as an index knows it, valid only inside the closure it is handed to: its rows' sort keys by emit number.
@safe
public struct IndexDocumentView: ~Copyable {
    /// The sequence that the last replacement of the document's rows gave.
    public let sequence: UInt64
    private let idBytes: UnsafeRawBufferPointer
    private let keys: [UnsafeRawBufferPointer]

    /// For engines. The buffers must stay as they are until the closure that gets the view returns.
    @unsafe
    public init(id: UnsafeRawBufferPointer, sequence: UInt64, keys: [UnsafeRawBufferPointer]) {
        unsafe self.idBytes = id
        self.sequence = sequence
        unsafe self.keys = keys
    }

    /// How many rows the document has: they have the emit numbers from 0 on.
    public var rowCount: Int { unsafe keys.count }

    /// The ID's bytes.
    public func withID<R, E: Error>(_ use: (RawSpan) throws(E) -> R) throws(E) -> R { try unsafe use(idBytes.bytes) }

    /// The sort key of a row, which is below `rowCount`.
    public func withKey<R, E: Error>(_ emit: Int, _ use: (RawSpan) throws(E) -> R) throws(E) -> R {
        try unsafe use(keys[emit].bytes)
    }

    /// A copy of the ID.
    ///
    /// - Throws: `corrupt` (591) where it is not UTF-8.
    public func documentID() throws(StorageError) -> DocumentID { try DocumentID(stored: unsafe idBytes.bytes) }
}
