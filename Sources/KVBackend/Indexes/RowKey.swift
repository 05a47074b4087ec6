internal import StorageEngineKit
internal import StorageProtocol

/// Keys of `rows`: the index's number, sort key and document ID escaped, emit number. A key without its last parts is a
/// prefix of all keys that it stands for.
enum RowKey {
    /// The length of an index's number and of an emit number.
    static let numberLength = 4

    /// Checks that a row's key can be stored. A sort key of 1 MiB with an ID of 64 KiB always can.
    ///
    /// - Throws: `tooLarge` (413).
    static func checkLength(key: UnsafeRawBufferPointer, id: UnsafeRawBufferPointer) throws(StorageError) {
        // The worst case, every byte escaped. Most keys are far below the limit.
        if 2 * (key.count + id.count) + 4 + 2 * numberLength <= LongKeyLayout.maximumLength { return }
        try unsafe LongKeyLayout.checkLength(
            EscapedBytes.length(of: key) + EscapedBytes.length(of: id) + 2 * numberLength
        )
    }

    /// Writes the key of a row to `buffer`.
    static func write(
        index: UInt32,
        key: UnsafeRawBufferPointer,
        id: UnsafeRawBufferPointer,
        emit: UInt32,
        to buffer: inout KeyBuffer
    ) {
        buffer.removeAll()
        buffer.append(bigEndian: index)
        unsafe EscapedBytes.append(key, to: &buffer)
        unsafe EscapedBytes.append(id, to: &buffer)
        buffer.append(bigEndian: emit)
    }

    /// Returns the common prefix of the keys of all rows that `position` stands for.
    fileprivate static func prefix(index: UInt32, _ position: IndexPosition) throws(StorageError) -> [UInt8] {
        var buffer = KeyBuffer()
        defer { buffer.removeAll() }
        buffer.append(bigEndian: index)
        try unsafe position.key.withRawBytes { (key) throws(StorageError) in
            unsafe EscapedBytes.append(key, to: &buffer)
        }
        if let id = position.documentID {
            try unsafe id.withRawBytes { (id) throws(StorageError) in unsafe EscapedBytes.append(id, to: &buffer) }
            if let emit = position.emit { buffer.append(bigEndian: emit) }
        }
        return unsafe Array(buffer.bytes)
    }

    /// Returns the lowest byte string above all that begin with `prefix`, which must not consist of `FF` only.
    static func end(of prefix: [UInt8]) -> [UInt8] {
        var end = prefix
        while end.last == .max { end.removeLast() }
        if let last = end.popLast() { end.append(last + 1) }
        return end
    }

    /// Returns the index's number with which a key begins.
    ///
    /// - Throws: `corrupt` (591) for a key that is too short.
    static func number(of key: UnsafeRawBufferPointer) throws(StorageError) -> UInt32 {
        guard key.count >= numberLength else { throw .damagedRow }
        return unsafe UInt32(bigEndian: key.loadUnaligned(as: UInt32.self))
    }

    /// Returns an index's number as the prefix of its keys.
    static func number(_ index: UInt32) -> [UInt8] {
        unsafe withUnsafeBytes(of: index.bigEndian) { unsafe Array($0) }
    }
}

extension IndexRange {
    /// Returns the range of the keys of `rows` in an index, whose number is below the maximum.
    func keys(of index: UInt32) throws(StorageError) -> ByteRange {
        var keys = ByteRange.all(of: index)
        switch lower {
        case .open: break
        case .including(let position): keys.lower = .including(try RowKey.prefix(index: index, position))
        case .excluding(let position):
            keys.lower = .including(RowKey.end(of: try RowKey.prefix(index: index, position)))
        }
        switch upper {
        case .open: break
        case .including(let position):
            keys.upper = .excluding(RowKey.end(of: try RowKey.prefix(index: index, position)))
        case .excluding(let position): keys.upper = .excluding(try RowKey.prefix(index: index, position))
        }
        return keys
    }
}

extension ByteRange {
    /// Returns the range of all keys that begin with the number of an index. There is a number above it.
    static func all(of index: UInt32) -> ByteRange {
        ByteRange(lower: .including(RowKey.number(index)), upper: .excluding(RowKey.number(index + 1)))
    }

    /// Returns the range of keys that begin with an index's number and continue with a key of this range.
    func keys(of index: UInt32) -> ByteRange {
        let number = RowKey.number(index)
        var keys = ByteRange.all(of: index)
        switch lower {
        case .open: break
        case .including(let key): keys.lower = .including(number + key)
        case .excluding(let key): keys.lower = .excluding(number + key)
        }
        switch upper {
        case .open: break
        case .including(let key): keys.upper = .including(number + key)
        case .excluding(let key): keys.upper = .excluding(number + key)
        }
        return keys
    }
}
