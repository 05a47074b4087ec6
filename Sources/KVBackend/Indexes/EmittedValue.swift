internal import StorageProtocol

/// A value of `emitted`: the sequence at which a document's rows were last replaced, and their sort keys by emit number.
struct EmittedValue {
    let sequence: UInt64
    /// The whole value.
    private let bytes: [UInt8]
    /// Where the keys are in it.
    private let places: [Range<Int>]

    /// - Throws: `corrupt` (591) for anything else.
    init(_ stored: UnsafeRawBufferPointer) throws(StorageError) {
        var offset = 0
        guard let sequence = unsafe Varint.read(stored, &offset), let count = unsafe Varint.read(stored, &offset),
            1...UInt64(stored.count) ~= count
        else { throw .damagedEmitted }
        var places: [Range<Int>] = []
        places.reserveCapacity(Int(count))
        for _ in 0..<count {
            guard let key = unsafe Varint.readBytes(stored, &offset) else { throw .damagedEmitted }
            places.append(offset - key.count..<offset)
        }
        guard offset == stored.count else { throw .damagedEmitted }
        self.sequence = sequence
        self.places = places
        bytes = unsafe Array(stored)
    }

    /// The sequence alone.
    static func sequence(_ stored: UnsafeRawBufferPointer) throws(StorageError) -> UInt64 {
        var offset = 0
        guard let sequence = unsafe Varint.read(stored, &offset) else { throw .damagedEmitted }
        return sequence
    }

    /// How many rows the document has.
    var count: Int { places.count }

    /// The sort key of a row.
    func key(_ emit: Int) -> ArraySlice<UInt8> { bytes[places[emit]] }

    /// Sees to it that a list can be stored: the longest value is 1 GiB.
    ///
    /// - Throws: `tooLarge` (413).
    static func checkLength(_ rows: [IndexRow]) throws(StorageError) {
        guard length(sequence: .max, rows) <= 1 << 30 else {
            throw StorageError(
                .tooLarge,
                "A document emitted sort keys of more than 1 GiB. Emit fewer or shorter keys."
            )
        }
    }

    /// Bytes of the stored form.
    static func length(sequence: UInt64, _ rows: [IndexRow]) -> Int {
        rows.reduce(Varint.length(sequence) + Varint.length(UInt64(rows.count))) { length, row in
            length + Varint.length(UInt64(row.key.count)) + row.key.count
        }
    }

    /// Writes the stored form to a buffer of the length that `length` gives.
    static func write(sequence: UInt64, _ rows: [IndexRow], to buffer: UnsafeMutableRawBufferPointer) {
        var offset = 0
        unsafe Varint.write(sequence, to: buffer, &offset)
        unsafe Varint.write(UInt64(rows.count), to: buffer, &offset)
        for row in rows {
            unsafe Varint.write(UInt64(row.key.count), to: buffer, &offset)
            unsafe UnsafeMutableRawBufferPointer(rebasing: buffer[offset...]).copyBytes(from: row.key)
            offset += row.key.count
        }
    }
}

extension StorageError {
    static var damagedEmitted: StorageError { .corrupt("The list of a document's index rows is damaged") }
}
