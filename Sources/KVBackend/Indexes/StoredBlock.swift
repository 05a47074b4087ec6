internal import StorageEngineKit
internal import StorageProtocol

/// A value of `emitted`: a marker and the entries of a `DocumentBlock`. Once, it was the end of one document's entry,
/// behind the ID, which began with a sequence and a number of keys that was not 0.
enum StoredBlock {
    static let marker: [UInt8] = [0, 0]

    /// Reads an entry of `emitted` into `block`.
    ///
    /// - Throws: `corrupt` (591) for anything else.
    static func read(
        _ key: UnsafeRawBufferPointer,
        _ value: UnsafeRawBufferPointer,
        into block: inout DocumentBlock
    ) throws(StorageError) {
        guard unsafe !value.starts(with: marker) else {
            return try unsafe block.read(UnsafeRawBufferPointer(rebasing: value.dropFirst(marker.count)))
        }
        var offset = 0
        guard let sequence = unsafe Varint.read(value, &offset), let count = unsafe Varint.read(value, &offset),
            1...UInt64(value.count) ~= count
        else { throw .damagedBlock }
        var keys = unsafe [UnsafeRawBufferPointer]()
        for _ in 0..<count {
            guard let key = unsafe Varint.readBytes(value, &offset) else { throw .damagedBlock }
            unsafe keys.append(key)
        }
        guard offset == value.count else { throw .damagedBlock }
        block.removeAll()
        try unsafe block.append(id(key), sequence: sequence, keys: keys)
    }

    /// Returns the ID in a key of `emitted`.
    static func id(_ key: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
        unsafe UnsafeRawBufferPointer(rebasing: key.dropFirst(RowKey.numberLength))
    }

    /// Moves to the last block of an index whose key is `place`, which begins with the index's number, or below.
    ///
    /// - Returns: False if there is none.
    static func seek(
        _ place: UnsafeRawBufferPointer,
        _ cursor: some OrderedCursor
    ) throws(StorageError) -> Bool {
        // Mostly there is a key above it; the one before that is its neighbour.
        let isAbove = try unsafe cursor.seek(.atOrAfter(place))
        if isAbove, unsafe cursor.key.equals(place) { return true }
        guard try isAbove ? cursor.previous() : cursor.seek(.last) else { return false }
        // In a damaged tree the neighbour of what is above may be above, too.
        guard unsafe compareBytes(cursor.key.bytes, place.bytes) < 0 else { throw .outOfOrder }
        return unsafe cursor.key.starts(with: place.prefix(RowKey.numberLength))
    }
}
