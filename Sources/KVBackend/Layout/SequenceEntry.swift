internal import StorageProtocol

/// The parts of a value of `sequences`, in place.
@safe
struct SequenceEntry {
    let flags: DocumentFlags
    let id: UnsafeRawBufferPointer

    /// - Throws: `corrupt` (591) for bytes that are not an entry.
    @inline(__always)
    init(_ bytes: UnsafeRawBufferPointer) throws(StorageError) {
        guard bytes.count > 1, let flags = unsafe bytes.first, flags & ~RecordFlags.document == 0 else {
            throw .damagedSequences
        }
        self.flags = DocumentFlags(rawValue: flags)
        unsafe id = UnsafeRawBufferPointer(rebasing: bytes[1...])
    }

    /// Returns the length in bytes of the entry of a document whose ID has `idLength` bytes.
    @inline(__always)
    static func length(idLength: Int) -> Int { 1 + idLength }

    /// Writes an entry to a buffer whose length is given by `length`.
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
