internal import StorageProtocol

/// A value of `sequences`, taken apart where it lies.
@safe
struct SequenceEntry {
    let flags: DocumentFlags
    let id: UnsafeRawBufferPointer

    /// - Throws: `corrupt` (591) for bytes that are no entry.
    @inline(__always)
    init(_ bytes: UnsafeRawBufferPointer) throws(StorageError) {
        guard bytes.count > 1, let flags = unsafe bytes.first, flags & ~RecordFlags.document == 0 else {
            throw .damagedSequences
        }
        self.flags = DocumentFlags(rawValue: flags)
        unsafe id = UnsafeRawBufferPointer(rebasing: bytes[1...])
    }

    /// Bytes of the entry of a document whose ID has `idLength` bytes.
    @inline(__always)
    static func length(idLength: Int) -> Int { 1 + idLength }

    /// Writes an entry to a buffer of the length that `length` gives.
    @inline(__always)
    static func write(
        to buffer: UnsafeMutableRawBufferPointer,
        flags: DocumentFlags,
        id: UnsafeRawBufferPointer
    ) {
        unsafe buffer[0] = flags.rawValue & RecordFlags.document
        unsafe UnsafeMutableRawBufferPointer(rebasing: buffer[1...]).copyMemory(from: id)
    }
}

extension StorageError {
    static var damagedSequences: StorageError { .corrupt("An entry of the order by sequence is damaged") }
}
