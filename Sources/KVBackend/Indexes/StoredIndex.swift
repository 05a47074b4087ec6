internal import StorageEngineKit
internal import StorageProtocol

/// A value of `indexes`: an index's number, the number under which its entries are stored, and its state.
struct StoredIndex {
    let number: UInt32
    /// The number with which the keys of its entries begin. Not the number of any index.
    var entries: UInt32
    var state: IndexState

    init(number: UInt32, entries: UInt32, state: IndexState) {
        self.number = number
        self.entries = entries
        self.state = state
    }

    /// - Throws: `corrupt` (591) for bytes that are not such a value.
    init(_ stored: UnsafeRawBufferPointer) throws(StorageError) {
        var offset = 0
        guard let number = unsafe Varint.read(stored, &offset), 1..<UInt64(UInt32.max) ~= number,
            let entries = unsafe Varint.read(stored, &offset), 1..<UInt64(UInt32.max) ~= entries,
            let version = unsafe Varint.readBytes(stored, &offset),
            let collationVersion = unsafe Varint.readBytes(stored, &offset),
            let lastSequence = unsafe Varint.read(stored, &offset),
            let lastChangedSequence = unsafe Varint.read(stored, &offset),
            let rowCount = unsafe Varint.read(stored, &offset),
            let keepsSequences = unsafe Varint.read(stored, &offset), keepsSequences <= 1, offset == stored.count,
            let version = unsafe String(validating: version, as: UTF8.self),
            let collationVersion = unsafe String(validating: collationVersion, as: UTF8.self)
        else { throw .damagedIndex }
        self.number = UInt32(number)
        self.entries = UInt32(entries)
        state = IndexState(
            version: version,
            collationVersion: collationVersion,
            lastSequence: lastSequence,
            lastChangedSequence: lastChangedSequence,
            rowCount: rowCount,
            keepsSequences: keepsSequences == 1
        )
    }

    /// The length of the stored form in bytes.
    var length: Int {
        let texts = [state.version, state.collationVersion].map(\.utf8.count)
        let numbers = [UInt64(number), UInt64(entries), state.lastSequence, state.lastChangedSequence, state.rowCount]
        return texts.reduce(1) { $0 + Varint.length(UInt64($1)) + $1 } + numbers.reduce(0) { $0 + Varint.length($1) }
    }

    /// Writes the stored form to a buffer of `length` bytes.
    func write(to buffer: UnsafeMutableRawBufferPointer) {
        var offset = 0
        unsafe Varint.write(UInt64(number), to: buffer, &offset)
        unsafe Varint.write(UInt64(entries), to: buffer, &offset)
        for text in [state.version, state.collationVersion] {
            unsafe Varint.write(UInt64(text.utf8.count), to: buffer, &offset)
            unsafe UnsafeMutableRawBufferPointer(rebasing: buffer[offset...]).copyBytes(from: text.utf8)
            offset += text.utf8.count
        }
        for number in [state.lastSequence, state.lastChangedSequence, state.rowCount] {
            unsafe Varint.write(number, to: buffer, &offset)
        }
        unsafe Varint.write(state.keepsSequences ? 1 : 0, to: buffer, &offset)
    }
}

extension StorageError {
    static var damagedIndex: StorageError { .corrupt("The entry of an index is damaged") }
}
