internal import StorageProtocol

/// A value of `sequences`, taken apart where it lies.
@safe
struct SequenceEntry {
    let flags: DocumentFlags
    let handle: UInt64
    let id: UnsafeRawBufferPointer

    /// - Parameter sequence: the entry's key.
    /// - Throws: `corrupt` (591) for bytes that are no entry.
    @inline(__always)
    init(_ bytes: UnsafeRawBufferPointer, at sequence: UInt64) throws(StorageError) {
        var offset = 1
        guard let flags = unsafe bytes.first,
            flags & ~(RecordFlags.document | RecordFlags.hasHandle) == 0
        else { throw .damagedSequences }
        self.flags = DocumentFlags(rawValue: flags & RecordFlags.document)
        if flags & RecordFlags.hasHandle != 0 {
            guard let handle = unsafe Varint.read(bytes, &offset), handle >= 1, handle < sequence else {
                throw .damagedSequences
            }
            self.handle = handle
        } else {
            handle = sequence
        }
        guard offset < bytes.count else { throw .damagedSequences }
        unsafe id = UnsafeRawBufferPointer(rebasing: bytes[offset...])
    }

    /// Bytes of the entry of a document whose ID has `idLength` bytes.
    @inline(__always)
    static func length(handle: UInt64, sequence: UInt64, idLength: Int) -> Int {
        1 + (handle == sequence ? 0 : Varint.length(handle)) + idLength
    }

    /// Writes an entry to a buffer of the length that `length` gives.
    @inline(__always)
    static func write(
        to buffer: UnsafeMutableRawBufferPointer,
        flags: DocumentFlags,
        handle: UInt64,
        sequence: UInt64,
        id: UnsafeRawBufferPointer
    ) {
        var offset = 1
        unsafe buffer[0] = flags.rawValue & RecordFlags.document | (handle == sequence ? 0 : RecordFlags.hasHandle)
        if handle != sequence { unsafe Varint.write(handle, to: buffer, &offset) }
        unsafe UnsafeMutableRawBufferPointer(rebasing: buffer[offset...]).copyMemory(from: id)
    }
}

extension StorageError {
    static var damagedSequences: StorageError { .corrupt("An entry of the order by sequence is damaged") }
}
