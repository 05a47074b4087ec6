/// A document in an index, with the sort keys of its rows by emit number. Valid only inside the closure that receives
/// it.
@safe
public struct IndexDocumentView: ~Copyable {
    /// The sequence passed to the last replacement of the document's rows.
    public let sequence: UInt64
    private let idBytes: UnsafeRawBufferPointer
    private let keys: [UnsafeRawBufferPointer]

    /// For engines. The buffers must stay unchanged until the closure that receives the view returns.
    @unsafe
    public init(id: UnsafeRawBufferPointer, sequence: UInt64, keys: [UnsafeRawBufferPointer]) {
        unsafe self.idBytes = id
        self.sequence = sequence
        unsafe self.keys = keys
    }

    /// How many rows the document has. Their emit numbers start at 0.
    public var rowCount: Int { unsafe keys.count }

    /// Passes the bytes of the ID to `use`.
    public func withID<R, E: Error>(_ use: (RawSpan) throws(E) -> R) throws(E) -> R { try unsafe use(idBytes.bytes) }

    /// Passes the sort key of a row to `use`. `emit` must be below `rowCount`.
    public func withKey<R, E: Error>(_ emit: Int, _ use: (RawSpan) throws(E) -> R) throws(E) -> R {
        try unsafe use(keys[emit].bytes)
    }

    /// Returns a copy of the ID.
    ///
    /// - Throws: `corrupt` (591) if it is not UTF-8.
    public func documentID() throws(StorageError) -> DocumentID { try DocumentID(stored: unsafe idBytes.bytes) }
}
