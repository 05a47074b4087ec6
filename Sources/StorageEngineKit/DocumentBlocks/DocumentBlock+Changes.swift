package import StorageProtocol

extension DocumentBlock {
    /// Adds a document behind all others.
    ///
    /// - Throws: `corrupt` (591) if it is not behind them, or has no keys.
    package mutating func append(
        _ id: UnsafeRawBufferPointer,
        sequence: UInt64,
        keys: [UnsafeRawBufferPointer]
    ) throws(StorageError) {
        guard unsafe isLastBefore(id), unsafe !keys.isEmpty else { throw .damagedBlock }
        var length = unsafe DocumentBlock.length(id, sequence, keyCount: keys.count)
        for emit in unsafe keys.indices {
            unsafe length += Varint.length(UInt64(keys[emit].count)) + keys[emit].count
        }
        unsafe splice(entries.count..<entries.count, length, id) { target, offset in
            unsafe DocumentBlock.writeHead(id, sequence, keyCount: keys.count, to: target, &offset)
            for emit in unsafe keys.indices { unsafe Varint.write(keys[emit], to: target, &offset) }
        }
    }

    /// Replaces the document in `places` by one of `batches` that has rows. If `places` is empty, it is inserted there.
    package mutating func replace(
        _ places: Range<Int>,
        by document: PinnedDocument,
        _ sequence: UInt64,
        of batches: borrowing PinnedBatches
    ) {
        let length = DocumentBlock.length(document, sequence, of: batches)
        unsafe splice(places, length, document.id) { target, offset in
            unsafe DocumentBlock.writeHead(document.id, sequence, keyCount: document.rowCount, to: target, &offset)
            for emit in 0..<document.rowCount {
                unsafe Varint.write(batches.key(document.row(emit)), to: target, &offset)
            }
        }
    }

    package mutating func remove(_ place: Int) {
        let entry = entries[place]
        moveTail(from: entry.end, to: entry.start)
        entries.remove(at: place)
        for later in place..<entries.count { entries[later].move(by: entry.start - entry.end) }
        selectNone()
    }

    /// Writes an entry of `length` bytes in the place of another one, or before it.
    private mutating func splice(
        _ places: Range<Int>,
        _ length: Int,
        _ id: UnsafeRawBufferPointer,
        _ write: (UnsafeMutableRawBufferPointer, _ offset: inout Int) -> Void
    ) {
        let bytes = byteCount
        let start = places.lowerBound < entries.count ? entries[places.lowerBound].start : bytes
        let end = places.isEmpty ? start : entries[places.upperBound - 1].end
        let gained = start + length - end
        reserve(bytes + max(0, gained))
        if end < bytes { moveTail(from: end, to: start + length) }
        var offset = start
        unsafe write(memory, &offset)
        let idStart = start + Varint.length(UInt64(id.count))
        let entry = Entry(start: start, idStart: idStart, idEnd: idStart + id.count, end: start + length)
        for later in places.upperBound..<entries.count { entries[later].move(by: gained) }
        if !places.isEmpty {
            entries[places.lowerBound] = entry
        } else if places.lowerBound == entries.count {
            // Most documents come in order, and an insertion costs several times as much.
            entries.append(entry)
        } else {
            entries.insert(entry, at: places.lowerBound)
        }
        selectNone()
    }

    private mutating func moveTail(from: Int, to: Int) {
        let end = byteCount
        if from == end || from == to { return }
        let tail = unsafe UnsafeRawBufferPointer(rebasing: bytes[from..<end])
        unsafe UnsafeMutableRawBufferPointer(rebasing: memory[to..<to + (end - from)]).copyMemory(from: tail)
    }

    mutating func reserve(_ length: Int) {
        if unsafe length <= memory.count { return }
        let larger = UnsafeMutableRawBufferPointer.allocate(byteCount: max(2_048, 2 * length), alignment: 8)
        unsafe larger.copyMemory(from: UnsafeRawBufferPointer(rebasing: bytes[0..<byteCount]))
        unsafe memory.deallocate()
        unsafe memory = larger
    }
}

extension DocumentBlock.Entry {
    fileprivate mutating func move(by distance: Int) {
        start += distance
        idStart += distance
        idEnd += distance
        end += distance
    }
}
