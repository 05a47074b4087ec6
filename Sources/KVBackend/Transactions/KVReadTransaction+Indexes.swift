internal import StorageEngineKit
internal import StorageProtocol

extension KVReadTransaction {
    func indexNames() throws(StorageError) -> [String] {
        try check()
        return try noting { () throws(StorageError) in
            var names: [String] = []
            try unsafe scan(.indexes, in: .all) { (name, _) throws(StorageError) in
                guard let name = unsafe String(validating: name, as: UTF8.self) else { throw .damagedKey }
                names.append(name)
                return true
            }
            return names
        }
    }

    func indexState(_ name: String) throws(StorageError) -> IndexState? {
        try check()
        return try noting { () throws(StorageError) in try storedIndex(name)?.state }
    }

    func indexRows(
        _ name: String,
        in range: IndexRange,
        descending: Bool,
        _ body: (borrowing IndexRowView) throws(StorageError) -> Bool
    ) throws(StorageError) {
        try check()
        try noting { () throws(StorageError) in
            let stored = try existingIndex(name)
            let index = stored.number
            var reader = RowReader()
            let sequences = KVIndexSequences(self, stored)
            defer { withExtendedLifetime(sequences) {} }
            let keys = try range.keys(of: index)
            try unsafe scan(.rows, in: keys, descending: descending) { (key, value) throws(StorageError) in
                let row = try unsafe reader.row(key, value)
                let view = unsafe IndexRowView(
                    emit: row.emit,
                    key: row.key,
                    id: row.id,
                    keyJSON: row.value.keyJSON,
                    valueJSON: row.value.valueJSON,
                    sequences: sequences
                )
                return try hand { () throws(StorageError) in try body(view) }
            }
        }
    }

    func hasDroppedIndexes() throws(StorageError) -> Bool {
        try check()
        return try noting { () throws(StorageError) in try droppedIndex() != nil }
    }

    /// Returns the number of a dropped index, or of its entries, that still takes up space.
    final func droppedIndex() throws(StorageError) -> UInt32? {
        let cursor = try base.cursor(.dropped)
        defer { cursor.close() }
        guard try cursor.seek(.first) else { return nil }
        return try unsafe KVReadTransaction.droppedNumber(cursor.key)
    }

    /// - Throws: `corrupt` (591) for a key of `dropped` that is not an index's number.
    static func droppedNumber(_ key: UnsafeRawBufferPointer) throws(StorageError) -> UInt32 {
        guard let number = unsafe FixedKey.number(key), 1..<UInt64(UInt32.max) ~= number else { throw .damagedIndex }
        return UInt32(number)
    }

    func indexedSequence(_ name: String, _ id: DocumentID) throws(StorageError) -> UInt64? {
        try check()
        return try noting { () throws(StorageError) in
            guard let index = try storedIndex(name) else { return nil }
            guard index.state.keepsSequences else { throw .indexKeepsNoSequences }
            var place = KeyBuffer()
            return try unsafe id.withRawBytes { (id) throws(StorageError) in
                try unsafe indexedSequence(index.number, id, &place)
            }
        }
    }

    func indexDocuments(
        _ name: String,
        after id: DocumentID?,
        _ body: (borrowing IndexDocumentView) throws(StorageError) -> Bool
    ) throws(StorageError) {
        try check()
        try noting { () throws(StorageError) in
            let index = try existingIndex(name).number
            let id = id.map { Array($0.string.utf8) } ?? []
            var keys = ByteRange.all(of: index)
            if let key = try blockKey(index, id) { keys.lower = .including(key) }
            var block = DocumentBlock()
            var last: [UInt8] = []
            try unsafe scan(.emitted, in: keys) { (key, value) throws(StorageError) in
                try unsafe StoredBlock.read(key, value, into: &block)
                guard unsafe block.begins(atOrAfter: StoredBlock.id(key), after: &last) else { throw .damagedBlock }
                return try unsafe id.withRawBytes { (id) throws(StorageError) in
                    try unsafe block.forEach(after: id) { (view) throws(StorageError) in
                        try hand { () throws(StorageError) in try body(view) }
                    }
                }
            }
        }
    }

    /// Returns the key of the block that a document would be in; nil if there is none.
    private func blockKey(_ index: UInt32, _ id: [UInt8]) throws(StorageError) -> [UInt8]? {
        let cursor = try LongKeyTable(.emitted, in: base).cursor()
        defer { cursor.close() }
        return try unsafe (RowKey.number(index) + id).withRawBytes { (place) throws(StorageError) in
            try unsafe StoredBlock.seek(place, cursor) ? Array(cursor.key) : nil
        }
    }

    func indexEntry(
        _ name: String,
        key: RawSpan,
        _ body: (_ value: RawSpan) throws(StorageError) -> Void
    ) throws(StorageError) -> Bool {
        try check()
        return try noting { () throws(StorageError) in
            guard let index = try storedIndex(name)?.entries else { return false }
            var place = KeyBuffer()
            defer { place.removeAll() }
            place.append(bigEndian: index)
            unsafe key.withUnsafeBytes { unsafe place.append($0) }
            return try unsafe LongKeyTable(.entries, in: base).withValue(of: place.bytes) {
                (value) throws(StorageError) -> Bool in
                guard let value = unsafe value else { return false }
                try hand { () throws(StorageError) in try unsafe body(value.bytes) }
                return true
            }
        }
    }

    func indexEntries(
        _ name: String,
        in range: ByteRange,
        descending: Bool,
        _ body: (_ key: RawSpan, _ value: RawSpan) throws(StorageError) -> Bool
    ) throws(StorageError) {
        try check()
        try noting { () throws(StorageError) in
            guard let index = try storedIndex(name)?.entries else { return }
            let keys = range.keys(of: index)
            try unsafe scan(.entries, in: keys, descending: descending) { (key, value) throws(StorageError) in
                let key = unsafe UnsafeRawBufferPointer(rebasing: key.dropFirst(RowKey.numberLength))
                return try hand { () throws(StorageError) in try unsafe body(key.bytes, value.bytes) }
            }
        }
    }

    /// Returns the entry of an index, or nil if there is none. A snapshot reads it only if no earlier one of the same
    /// state has. The write transaction always does: what it shows may be rolled back.
    final func storedIndex(_ name: String) throws(StorageError) -> StoredIndex? {
        if isWriter { return try readIndex(name) }
        let changeCounter = try presentNumbers().changeCounter
        if let index = engine.knownIndexes.find(name, changeCounter) { return index }
        guard let index = try readIndex(name) else { return nil }
        engine.knownIndexes.keep(index, name, changeCounter)
        return index
    }

    private func readIndex(_ name: String) throws(StorageError) -> StoredIndex? {
        try unsafe name.withRawBytes { (name) throws(StorageError) in
            try unsafe LongKeyTable(.indexes, in: base).withValue(of: name) {
                (value) throws(StorageError) -> StoredIndex? in
                guard let value = unsafe value else { return nil }
                return try unsafe StoredIndex(value)
            }
        }
    }

    /// - Throws: `notFound` (404) if there is no such index.
    final func existingIndex(_ name: String) throws(StorageError) -> StoredIndex {
        guard let index = try storedIndex(name) else { throw .noIndex(name) }
        return index
    }

    /// Returns the sequence passed to the last replacement of a document's rows, or nil if it has none. The key is made
    /// in `place`.
    final func indexedSequence(
        _ index: UInt32,
        _ id: UnsafeRawBufferPointer,
        _ place: inout KeyBuffer
    ) throws(StorageError) -> UInt64? {
        place.removeAll()
        place.append(bigEndian: index)
        unsafe place.append(id)
        let cursor = try LongKeyTable(.emitted, in: base).cursor()
        defer { cursor.close() }
        guard try unsafe StoredBlock.seek(place.bytes, cursor) else { return nil }
        var block = DocumentBlock()
        try unsafe StoredBlock.read(cursor.key, cursor.value, into: &block)
        let (place, isThere) = unsafe block.find(id)
        guard isThere else { return nil }
        block.select(place)
        return block.sequence
    }
}
