internal import StorageEngineKit
internal import StorageProtocol

/// The parts of a value of `locals`, in place.
@safe
struct LocalValue {
    let revision: UnsafeRawBufferPointer
    let json: UnsafeRawBufferPointer

    /// - Throws: `corrupt` (591) for bytes that are not such a value.
    init(_ bytes: UnsafeRawBufferPointer) throws(StorageError) {
        var offset = 0
        guard let revision = unsafe Varint.readBytes(bytes, &offset) else {
            throw .corrupt("A stored local document is damaged")
        }
        unsafe self.revision = revision
        unsafe json = UnsafeRawBufferPointer(rebasing: bytes[offset...])
    }

    init(revision: UnsafeRawBufferPointer, json: UnsafeRawBufferPointer) {
        unsafe self.revision = revision
        unsafe self.json = json
    }

    /// The length of the stored form in bytes.
    var length: Int { unsafe Varint.length(UInt64(revision.count)) + revision.count + json.count }

    /// Writes the stored form to a buffer of `length` bytes.
    func write(to buffer: UnsafeMutableRawBufferPointer) {
        var offset = 0
        unsafe Varint.write(UInt64(revision.count), to: buffer, &offset)
        unsafe UnsafeMutableRawBufferPointer(rebasing: buffer[offset...]).copyMemory(from: revision)
        unsafe offset += revision.count
        unsafe UnsafeMutableRawBufferPointer(rebasing: buffer[offset...]).copyMemory(from: json)
    }
}
