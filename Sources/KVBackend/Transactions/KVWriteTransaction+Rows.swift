internal import StorageProtocol

extension KVWriteTransaction {
    /// Brings the rows of a document to `rows`, writing only what differs.
    ///
    /// - Returns: whether any row differs from before, and how many there were.
    /// - Throws: `tooLarge` (413) for keys that cannot be stored, before anything is written.
    final func replace(
        _ index: UInt32,
        _ id: UnsafeRawBufferPointer,
        _ sequence: UInt64,
        _ rows: [IndexRow]
    ) throws(StorageError) -> (isChanged: Bool, oldCount: Int) {
        for row in rows { try unsafe RowPlace.checkLength(key: row.key, id: id) }
        try EmittedValue.checkLength(rows)
        var document = KeyBuffer()
        defer { document.removeAll() }
        document.append(bigEndian: index)
        unsafe document.append(id)
        let old = try unsafe emitted(document.bytes)
        let oldCount = old?.count ?? 0

        var isChanged = false
        var hasOtherKeys = false
        var place = KeyBuffer()
        defer { place.removeAll() }
        for emit in 0..<max(oldCount, rows.count) {
            let row = emit < rows.count ? rows[emit] : nil
            let oldKey = emit < oldCount ? old?.key(emit) : nil
            if let row, let oldKey, oldKey.elementsEqual(row.key) {
                try unsafe setPlace(&place, index, oldKey, id, emit)
                if try unsafe isStored(row, at: place.bytes) { continue }
                _ = try unsafe put(row, at: place.bytes, mode: .upsert)
            } else {
                hasOtherKeys = true
                if let oldKey {
                    try unsafe setPlace(&place, index, oldKey, id, emit)
                    guard try unsafe removeLong(place.bytes, in: .rows) else { throw .damagedEmitted }
                }
                if let row {
                    try unsafe setPlace(&place, index, row.key[...], id, emit)
                    guard try unsafe put(row, at: place.bytes, mode: .insert) else { throw .damagedEmitted }
                }
            }
            isChanged = true
        }

        if rows.isEmpty {
            if old != nil { _ = try unsafe removeLong(document.bytes, in: .emitted) }
        } else if hasOtherKeys || old?.sequence != sequence {
            let length = EmittedValue.length(sequence: sequence, rows)
            _ = try unsafe putLong(document.bytes, in: .emitted, length: length) {
                unsafe EmittedValue.write(sequence: sequence, rows, to: $0)
            }
        }
        return (isChanged, oldCount)
    }

    /// The list of a document's rows, copied; nil where it has none.
    private func emitted(_ document: UnsafeRawBufferPointer) throws(StorageError) -> EmittedValue? {
        try unsafe LongKeyTable(.emitted, in: base).withValue(of: document) {
            (value) throws(StorageError) -> EmittedValue? in
            guard let value = unsafe value else { return nil }
            return try unsafe EmittedValue(value)
        }
    }

    private func setPlace(
        _ place: inout KeyBuffer,
        _ index: UInt32,
        _ key: ArraySlice<UInt8>,
        _ id: UnsafeRawBufferPointer,
        _ emit: Int
    ) throws(StorageError) {
        guard let emit = UInt32(exactly: emit) else { throw .damagedEmitted }
        unsafe key.span.bytes.withUnsafeBytes { key in
            unsafe RowPlace.write(index: index, key: key, id: id, emit: emit, to: &place)
        }
    }

    /// Whether the row at a place, which must be there, has the JSON of `row`.
    private func isStored(_ row: IndexRow, at place: UnsafeRawBufferPointer) throws(StorageError) -> Bool {
        try unsafe LongKeyTable(.rows, in: base).withValue(of: place) { (value) throws(StorageError) in
            guard let value = unsafe value else { throw .damagedEmitted }
            return try unsafe RowValue(value).isSame(as: row)
        }
    }

    private func put(
        _ row: IndexRow,
        at place: UnsafeRawBufferPointer,
        mode: PutMode
    ) throws(StorageError) -> Bool {
        try unsafe putLong(place, in: .rows, length: RowValue.length(row), mode: mode) {
            unsafe RowValue.write(row, to: $0)
        }
    }
}
