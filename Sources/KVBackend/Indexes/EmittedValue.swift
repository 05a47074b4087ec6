internal import StorageProtocol

/// A value of `emitted`: the sequence passed to the last replacement of a document's rows, and their sort keys by emit
/// number.
///
/// Its memory is reused for the next value that is read into it.
struct EmittedValue: ~Copyable {
    private(set) var sequence: UInt64 = 0
    /// The whole value.
    private var bytes: [UInt8] = []
    /// The ranges of the keys in it.
    private var places: [Range<Int>] = []

    init() {}

    /// Reads a stored value into this one.
    ///
    /// - Throws: `corrupt` (591) for anything else.
    mutating func read(_ stored: UnsafeRawBufferPointer) throws(StorageError) {
        removeAll()
        var offset = 0
        guard let sequence = unsafe Varint.read(stored, &offset), let count = unsafe Varint.read(stored, &offset),
            1...UInt64(stored.count) ~= count
        else { throw .damagedEmitted }
        for _ in 0..<count {
            guard let key = unsafe Varint.readBytes(stored, &offset) else { throw .damagedEmitted }
            places.append(offset - key.count..<offset)
        }
        guard offset == stored.count else { throw .damagedEmitted }
        self.sequence = sequence
        unsafe bytes.append(contentsOf: stored)
    }

    /// Sets the value to that of a document without rows.
    mutating func removeAll() {
        sequence = 0
        bytes.removeAll(keepingCapacity: true)
        places.removeAll(keepingCapacity: true)
    }

    /// Returns only the sequence.
    static func sequence(_ stored: UnsafeRawBufferPointer) throws(StorageError) -> UInt64 {
        var offset = 0
        guard let sequence = unsafe Varint.read(stored, &offset) else { throw .damagedEmitted }
        return sequence
    }

    /// How many rows the document has.
    var count: Int { places.count }

    /// Passes the keys of all rows to `body`.
    func withKeys<R, E: Error>(_ body: ([UnsafeRawBufferPointer]) throws(E) -> R) throws(E) -> R {
        try unsafe bytes.span.bytes.withUnsafeBytes { (bytes) throws(E) in
            try unsafe body(places.map { unsafe UnsafeRawBufferPointer(rebasing: bytes[$0]) })
        }
    }

    /// Passes the sort key of a row to `body`.
    func withKey<R, E: Error>(_ emit: Int, _ body: (UnsafeRawBufferPointer) throws(E) -> R) throws(E) -> R {
        try unsafe bytes.span.bytes.withUnsafeBytes { (bytes) throws(E) in
            try unsafe body(UnsafeRawBufferPointer(rebasing: bytes[places[emit]]))
        }
    }

    /// Checks that a list can be stored: the longest value is 1 GiB.
    ///
    /// - Throws: `tooLarge` (413).
    static func checkLength(_ length: Int) throws(StorageError) {
        guard length <= 1 << 30 else {
            throw StorageError(
                .tooLarge,
                "A document emitted sort keys of more than 1 GiB. Emit fewer or shorter keys."
            )
        }
    }

    /// Returns the length of the stored form in bytes.
    static func length(_ document: PinnedDocument, _ sequence: UInt64, of batches: borrowing PinnedBatches) -> Int {
        var length = Varint.length(sequence) + Varint.length(UInt64(document.rowCount))
        for emit in 0..<document.rowCount {
            let count = unsafe batches.key(document.row(emit)).count
            length += Varint.length(UInt64(count)) + count
        }
        return length
    }

    /// Writes the stored form to a buffer whose length is given by `length`.
    static func write(
        _ document: PinnedDocument,
        _ sequence: UInt64,
        of batches: borrowing PinnedBatches,
        to buffer: UnsafeMutableRawBufferPointer
    ) {
        var offset = 0
        unsafe Varint.write(sequence, to: buffer, &offset)
        unsafe Varint.write(UInt64(document.rowCount), to: buffer, &offset)
        for emit in 0..<document.rowCount {
            let key = unsafe batches.key(document.row(emit))
            unsafe Varint.write(UInt64(key.count), to: buffer, &offset)
            unsafe UnsafeMutableRawBufferPointer(rebasing: buffer[offset...]).copyMemory(from: key)
            offset += key.count
        }
    }
}

extension StorageError {
    static var damagedEmitted: StorageError { .corrupt("The list of a document's index rows is damaged") }
}
