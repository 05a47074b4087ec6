internal import StorageEngineKit
internal import StorageProtocol

/// The parts of a value of `bodies`, in place.
@safe
struct KeptBody {
    /// The ID of the document whose revision has the body.
    let owner: UnsafeRawBufferPointer
    /// The body as it is stored, its first byte included.
    let body: UnsafeRawBufferPointer

    /// - Throws: `corrupt` (591) for bytes that are not such a value.
    init(_ bytes: UnsafeRawBufferPointer) throws(StorageError) {
        var offset = 0
        guard let owner = unsafe Varint.readBytes(bytes, &offset), offset < bytes.count else {
            throw .corrupt("The stored body of a revision is damaged")
        }
        unsafe self.owner = owner
        unsafe body = UnsafeRawBufferPointer(rebasing: bytes[offset...])
    }

    /// Returns the length of the value for a body in bytes.
    static func length(owner: UnsafeRawBufferPointer, _ body: StoredBody) -> Int {
        Varint.length(UInt64(owner.count)) + owner.count + body.length
    }

    /// Writes a value to a buffer whose length is given by `length`.
    static func write(
        to buffer: UnsafeMutableRawBufferPointer,
        owner: UnsafeRawBufferPointer,
        _ body: StoredBody
    ) {
        var offset = 0
        unsafe Varint.write(UInt64(owner.count), to: buffer, &offset)
        unsafe UnsafeMutableRawBufferPointer(rebasing: buffer[offset...]).copyMemory(from: owner)
        unsafe body.write(to: buffer, at: offset &+ owner.count)
    }
}
