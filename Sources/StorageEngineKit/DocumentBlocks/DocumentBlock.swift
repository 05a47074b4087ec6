package import StorageProtocol

/// Neighbouring documents of an index with the sort keys of their rows, ordered by ID, as an engine stores them in one
/// record: a record of its own for each document would cost as much as the row.
///
/// An entry is the length of the ID, the ID, the sequence, the number of keys, and each key behind its length. All
/// numbers are `Varint`s.
@safe
package struct DocumentBlock: ~Copyable {
    /// The location of a document in the bytes.
    struct Entry {
        var start: Int
        var idStart: Int
        var idEnd: Int
        var end: Int
    }

    var memory = unsafe UnsafeMutableRawBufferPointer(start: nil, count: 0)
    var entries: [Entry] = []
    /// The keys of the document selected last.
    private var keys: [Range<Int>] = []
    /// How many keys the document selected last has, and its sequence.
    package var keyCount: Int { keys.count }
    package private(set) var sequence: UInt64 = 0

    package init() {}

    deinit { unsafe memory.deallocate() }

    /// How many documents there are.
    package var count: Int { entries.count }
    /// The length of all entries in bytes.
    package var byteCount: Int { entries.last?.end ?? 0 }

    var bytes: UnsafeRawBufferPointer { unsafe UnsafeRawBufferPointer(memory) }

    package mutating func removeAll() {
        entries.removeAll(keepingCapacity: true)
        selectNone()
    }

    // MARK: Reading

    /// Reads stored entries. Their order is not looked at, which `begins` does.
    ///
    /// - Throws: `corrupt` (591) for anything else that is not a block.
    package mutating func read(_ stored: UnsafeRawBufferPointer) throws(StorageError) {
        removeAll()
        reserve(stored.count)
        unsafe memory.copyMemory(from: stored)
        var offset = 0
        while offset < stored.count {
            let start = offset
            guard let id = unsafe Varint.readRange(stored, &offset), !id.isEmpty,
                unsafe Varint.read(stored, &offset) != nil,
                let keys = unsafe Varint.read(stored, &offset), 1...UInt64(stored.count) ~= keys
            else { throw .damagedBlock }
            for _ in 0..<keys {
                guard unsafe Varint.readRange(stored, &offset) != nil else { throw .damagedBlock }
            }
            entries.append(Entry(start: start, idStart: id.lowerBound, idEnd: id.upperBound, end: offset))
        }
        if entries.isEmpty { throw .damagedBlock }
    }

    /// Returns the ID of a document. Valid until the block changes.
    package func id(_ place: Int) -> UnsafeRawBufferPointer { unsafe id(entries[place]) }

    private func id(_ entry: Entry) -> UnsafeRawBufferPointer {
        unsafe UnsafeRawBufferPointer(rebasing: bytes[entry.idStart..<entry.idEnd])
    }

    /// Whether all documents are before `id`.
    package func isLastBefore(_ id: UnsafeRawBufferPointer) -> Bool {
        guard let last = entries.last else { return true }
        return unsafe compareBytes(self.id(last).bytes, id.bytes) < 0
    }

    /// Returns the place of a document, or where it would have to be.
    package func find(_ id: UnsafeRawBufferPointer) -> (place: Int, isThere: Bool) {
        var (low, high) = (0, entries.count)
        while low < high {
            let middle = (low + high) / 2
            let order = unsafe compareBytes(self.id(entries[middle]).bytes, id.bytes)
            if order == 0 { return (middle, true) }
            if order < 0 { low = middle + 1 } else { high = middle }
        }
        return (low, false)
    }

    /// Looks up sequence and keys of a document.
    package mutating func select(_ place: Int) {
        selectNone()
        var offset = entries[place].idEnd
        sequence = unsafe Varint.read(bytes, &offset) ?? 0
        for _ in 0..<(unsafe Varint.read(bytes, &offset) ?? 0) {
            if let key = unsafe Varint.readRange(bytes, &offset) { keys.append(key) }
        }
    }

    /// Acts as if a document without keys was selected.
    package mutating func selectNone() {
        keys.removeAll(keepingCapacity: true)
        sequence = 0
    }

    /// Returns a key of the document selected last. Valid until the block changes.
    package func key(_ emit: Int) -> UnsafeRawBufferPointer {
        unsafe UnsafeRawBufferPointer(rebasing: bytes[keys[emit]])
    }

    /// Passes all documents to `body` in their order, until it returns false.
    ///
    /// - Parameter id: Only documents after this ID.
    /// - Returns: Whether `body` never did.
    package mutating func forEach(
        after id: UnsafeRawBufferPointer,
        _ body: (borrowing IndexDocumentView) throws(StorageError) -> Bool
    ) throws(StorageError) -> Bool {
        for place in entries.indices where unsafe compareBytes(self.id(place).bytes, id.bytes) > 0 {
            select(place)
            let keys = unsafe self.keys.map { unsafe UnsafeRawBufferPointer(rebasing: bytes[$0]) }
            let view = unsafe IndexDocumentView(id: self.id(place), sequence: sequence, keys: keys)
            guard try body(view) else { return false }
        }
        return true
    }

    /// Whether its documents are in order, where its key says, and after those of the block before.
    ///
    /// - Parameter last: The last ID of the block before. Becomes that of this block.
    package func begins(atOrAfter key: UnsafeRawBufferPointer, after last: inout [UInt8]) -> Bool {
        var isInOrder =
            unsafe compareBytes(key.bytes, id(0).bytes) <= 0 && compareBytes(last.span.bytes, key.bytes) < 0
        for place in entries.indices.dropFirst() where unsafe compareBytes(id(place - 1).bytes, id(place).bytes) >= 0 {
            isInOrder = false
        }
        unsafe last = Array(id(count - 1))
        return isInOrder
    }
}

extension StorageError {
    package static var damagedBlock: StorageError { .corrupt("The list of a document's index rows is damaged") }
}
