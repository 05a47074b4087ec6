internal import StorageProtocol

/// A value of `bodies`, taken apart where it lies.
@safe
struct KeptBody {
    /// The handle of the record whose revision has the body.
    let owner: UInt64
    /// The body as it is stored, its first byte included.
    let body: UnsafeRawBufferPointer

    /// - Throws: `corrupt` (591) for bytes that are no such value.
    init(_ bytes: UnsafeRawBufferPointer) throws(StorageError) {
        var offset = 0
        guard let owner = unsafe Varint.read(bytes, &offset), offset < bytes.count else {
            throw .corrupt("The stored body of a revision is damaged")
        }
        self.owner = owner
        unsafe body = UnsafeRawBufferPointer(rebasing: bytes[offset...])
    }

    /// Bytes of the value for a body.
    static func length(owner: UInt64, _ body: StoredBody) -> Int { Varint.length(owner) + body.length }

    /// Writes a value to a buffer of the length that `length` gives.
    static func write(to buffer: UnsafeMutableRawBufferPointer, owner: UInt64, _ body: StoredBody) {
        var offset = 0
        unsafe Varint.write(owner, to: buffer, &offset)
        unsafe body.write(to: buffer, at: offset)
    }
}
