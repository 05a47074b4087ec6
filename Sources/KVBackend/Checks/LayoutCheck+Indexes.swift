internal import StorageEngineKit
internal import StorageProtocol

extension LayoutCheck {
    /// - Returns: False if keys share their chains, so that tables with long keys must not be walked.
    func checkChains() -> Bool {
        var isTree = false
        attempt("long keys") { () throws(StorageError) in
            // Damaged counters are reported elsewhere.
            let nextNode = (try? transaction.storedNumbers().nextNode) ?? .max
            isTree = try LongKeyCheck.run(in: transaction.base, nextNode: nextNode) { found in
                problem(found.area, found.message)
            }
        }
        return isTree
    }

    /// Every row must be in its document's list, and every listed row must exist: so this compares the number of rows
    /// with the lists, and looks up each listed row. While an index is being filled, rows and lists do not match yet.
    func checkIndexes() {
        var indexes: [UInt32: IndexCounts] = [:]
        var entries: Set<UInt32> = []
        unsafe eachLong(.indexes, "indexes") { (name, value) throws(StorageError) in
            guard let name = unsafe String(validating: name, as: UTF8.self) else { throw .damagedKey }
            let index = try unsafe StoredIndex(value)
            let state = index.state
            let counts = IndexCounts(name: name, stated: state.rowCount, isFilling: state.isFilling)
            if indexes.updateValue(counts, forKey: index.number) != nil {
                problem("indexes", "Two indexes have the number \(index.number)")
            }
            if !entries.insert(index.entries).inserted {
                problem("indexes", "The entries of two indexes have the number \(index.entries)")
            }
        }
        var dropped: Set<UInt32> = []
        unsafe each(.dropped, "indexes") { (key, _) throws(StorageError) in
            let number = try unsafe KVReadTransaction<Store>.droppedNumber(key)
            dropped.insert(number)
            if indexes[number] != nil { problem("indexes", "The index with the number \(number) is there and dropped") }
            if entries.contains(number) {
                problem("indexes", "Entries with the number \(number) are there and dropped")
            }
        }
        var reader = RowReader()
        unsafe eachLong(.rows, "indexes") { (key, value) throws(StorageError) in
            _ = try unsafe reader.row(key, value)
            let number = try unsafe RowKey.number(of: key)
            if indexes[number] == nil, !dropped.contains(number) { problem("indexes", "A row belongs to no index") }
            indexes[number]?.rows += 1
        }
        var block = DocumentBlock()
        var last: [UInt8] = []
        var lastNumber: UInt32?
        unsafe eachLong(.emitted, "indexes") { (key, value) throws(StorageError) in
            let number = try unsafe RowKey.number(of: key)
            if dropped.contains(number) { return }
            try unsafe StoredBlock.read(key, value, into: &block)
            if number != lastNumber { last = [] }
            lastNumber = number
            guard unsafe block.begins(atOrAfter: StoredBlock.id(key), after: &last) else { throw .damagedBlock }
            for place in 0..<block.count {
                block.select(place)
                indexes[number]?.listed += UInt64(block.keyCount)
                if let index = indexes[number], index.isFilling { continue }
                try checkRows(block, place, number, indexes[number]?.name)
            }
        }
        unsafe eachLong(.entries, "indexes") { (key, _) throws(StorageError) in
            let number = try unsafe RowKey.number(of: key)
            if !entries.contains(number), !dropped.contains(number) {
                problem("indexes", "A stored reduction belongs to no index")
            }
        }
        // In a fixed order, so that the same damage is always reported in the same words.
        for (_, counts) in indexes.sorted(by: { $0.key < $1.key })
        where counts.rows != counts.stated || counts.rows != counts.listed && !counts.isFilling {
            let found = "\(counts.rows) rows, \(counts.listed) listed by documents, \(counts.stated) counted"
            problem("indexes", "The index '\(counts.name)' has \(found)")
        }
        attempt("indexes") { () throws(StorageError) in
            let next = try transaction.storedNumbers().nextIndex
            let used = dropped.union(entries).union(indexes.keys)
            if used.contains(where: { UInt64($0) >= next }) {
                problem("indexes", "An index has a number that was never given out")
            }
        }
    }

    /// Looks up the rows of the document that is selected in the block.
    private func checkRows(
        _ block: borrowing DocumentBlock,
        _ number: Int,
        _ index: UInt32,
        _ indexName: String?
    ) throws(StorageError) {
        let id = unsafe block.id(number)
        guard let indexName else {
            return problem("indexes", unsafe "\(name(id)) has rows in an index that is not there")
        }
        var place = KeyBuffer()
        defer { place.removeAll() }
        for emit in 0..<block.keyCount {
            unsafe RowKey.write(index: index, key: block.key(emit), id: id, emit: UInt32(emit), to: &place)
            let isThere = try unsafe LongKeyTable(.rows, in: transaction.base).withValue(of: place.bytes) { value in
                unsafe value != nil
            }
            if !isThere { problem("indexes", unsafe "\(name(id)) misses a row in the index '\(indexName)'") }
        }
    }
}

/// The number of rows of an index, counted in three ways.
private struct IndexCounts {
    let name: String
    /// According to its state.
    let stated: UInt64
    /// Whether it is being filled.
    let isFilling: Bool
    /// The rows found.
    var rows: UInt64 = 0
    /// The rows listed by its documents.
    var listed: UInt64 = 0
}
