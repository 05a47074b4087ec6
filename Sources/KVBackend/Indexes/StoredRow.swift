internal import StorageEngineKit
internal import StorageProtocol

/// The parts of an entry of `rows`, in place.
@safe
struct StoredRow {
    let key: UnsafeRawBufferPointer
    let id: UnsafeRawBufferPointer
    let emit: UInt32
    let value: RowValue
}

/// Decodes rows, in memory that is reused for the next one. A row is valid until then.
struct RowReader: ~Copyable {
    private var key = KeyBuffer()
    private var id = KeyBuffer()

    /// - Throws: `corrupt` (591) for anything but a row.
    mutating func row(
        _ stored: UnsafeRawBufferPointer,
        _ value: UnsafeRawBufferPointer
    ) throws(StorageError) -> StoredRow {
        var offset = RowKey.numberLength
        let key = try unsafe EscapedBytes.read(stored, &offset, &self.key)
        let id = try unsafe EscapedBytes.read(stored, &offset, &self.id)
        guard stored.count - offset == RowKey.numberLength else { throw .damagedRow }
        let emit = unsafe UInt32(bigEndian: stored.loadUnaligned(fromByteOffset: offset, as: UInt32.self))
        return try unsafe StoredRow(key: key, id: id, emit: emit, value: RowValue(value))
    }
}

/// A value of `rows`: the emitted key and value as JSON.
@safe
struct RowValue {
    let keyJSON: UnsafeRawBufferPointer
    let valueJSON: UnsafeRawBufferPointer?

    /// - Throws: `corrupt` (591) for anything else.
    init(_ stored: UnsafeRawBufferPointer) throws(StorageError) {
        var offset = 0
        guard let keyJSON = unsafe Varint.readBytes(stored, &offset), offset < stored.count else { throw .damagedRow }
        unsafe self.keyJSON = keyJSON
        let rest = unsafe UnsafeRawBufferPointer(rebasing: stored[(offset + 1)...])
        let kind = unsafe stored[offset]
        switch (kind, rest.count) {
        case (0, 0): unsafe valueJSON = nil
        case (1, _): unsafe valueJSON = rest
        default: throw .damagedRow
        }
    }

    /// Returns the length of the stored form of a row's JSON in bytes.
    static func length(_ row: PinnedRow) -> Int {
        let value = unsafe row.valueJSON?.count ?? 0
        return unsafe Varint.length(UInt64(row.keyJSON.count)) + row.keyJSON.count + 1 + value
    }

    /// Writes the stored form to a buffer whose length is given by `length`.
    static func write(_ row: PinnedRow, to buffer: UnsafeMutableRawBufferPointer) {
        var offset = 0
        unsafe Varint.write(UInt64(row.keyJSON.count), to: buffer, &offset)
        unsafe UnsafeMutableRawBufferPointer(rebasing: buffer[offset...]).copyMemory(from: row.keyJSON)
        unsafe offset += row.keyJSON.count
        guard let value = unsafe row.valueJSON else {
            unsafe buffer[offset] = 0
            return
        }
        unsafe buffer[offset] = 1
        unsafe UnsafeMutableRawBufferPointer(rebasing: buffer[(offset + 1)...]).copyMemory(from: value)
    }

    /// Whether a row has this JSON.
    func isSame(as row: PinnedRow) -> Bool {
        guard unsafe row.keyJSON.equals(keyJSON) else { return false }
        guard let value = unsafe row.valueJSON else { return unsafe valueJSON == nil }
        guard let valueJSON = unsafe valueJSON else { return false }
        return unsafe value.equals(valueJSON)
    }
}
