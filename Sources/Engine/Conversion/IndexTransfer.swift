internal import StorageProtocol

/// Transfers one index from one store to another: rows, documents and entries in their order, so that nothing has to be
/// sorted.
struct IndexTransfer {
    /// How many bytes are collected before they are written.
    private static let batchBytes = 1 << 20

    private let name: String
    private let state: IndexState
    private let sink: StoreSink?
    private let note: (Int) throws(StorageError) -> Void
    private var sums: StoreSums.Index

    /// - Parameter note: Called with the bytes of each row, document and entry.
    init(
        _ name: String,
        _ state: IndexState,
        to sink: StoreSink?,
        note: @escaping (Int) throws(StorageError) -> Void
    ) {
        self.name = name
        self.state = state
        self.sink = sink
        self.note = note
        sums = StoreSums.Index(name: Array(name.utf8), state: state)
    }

    mutating func run(from source: any ReadTransaction) throws(StorageError) -> StoreSums.Index {
        var filling = state
        filling.lastSequence = 0
        filling.lastChangedSequence = 1
        try set(filling)
        try rows(source)
        try documents(source)
        try entries(source)
        // Written last, because it marks the index as complete.
        try set(state)
        return sums
    }

    private func set(_ state: IndexState) throws(StorageError) {
        try sink?.write(bytes: 0) { (transaction) throws(StorageError) in try transaction.setIndexState(name, state) }
    }

    private mutating func rows(_ source: any ReadTransaction) throws(StorageError) {
        var batch = IndexBatch()
        try source.orderedRows(name, in: .all, descending: false) { (row) throws(StorageError) in
            sums.rows.begin()
            row.withKey { sums.rows.add($0) }
            row.withID { sums.rows.add($0) }
            sums.rows.add(UInt64(row.emit))
            row.withKeyJSON { sums.rows.add($0) }
            let length = row.withValueJSON { value in
                sums.rows.add(value)
                return value.byteCount
            }
            sums.rows.add(length == nil ? 0 : 1)
            try note(row.withKey { $0.byteCount } + (length ?? 0))
            guard sink != nil else { return true }
            batch.add(row)
            if batch.memory >= IndexTransfer.batchBytes { try fill(rows: &batch) }
            return true
        }
        if !batch.isEmpty { try fill(rows: &batch) }
        guard sums.rows.count == state.rowCount else {
            throw .corrupt("An index does not have the rows that it should; delete the view's index")
        }
    }

    private mutating func documents(_ source: any ReadTransaction) throws(StorageError) {
        var batch = IndexBatch()
        try source.orderedDocuments(name) { (document) throws(StorageError) in
            sums.documents.begin()
            document.withID { sums.documents.add($0) }
            sums.documents.add(document.sequence)
            var length = 0
            for emit in 0..<document.rowCount {
                document.withKey(emit) { key in
                    sums.documents.add(key)
                    length += key.byteCount
                }
            }
            try note(length)
            guard sink != nil else { return true }
            batch.add(document)
            if batch.memory >= IndexTransfer.batchBytes { try fill(documents: &batch) }
            return true
        }
        if !batch.isEmpty { try fill(documents: &batch) }
    }

    private func fill(rows batch: inout IndexBatch) throws(StorageError) {
        let load = try IndexLoad(sortedRows: batch)
        try sink?.write(bytes: batch.memory) { (transaction) throws(StorageError) in
            try transaction.fillIndex(name, from: load, rows: 0..<load.rowCount, documents: 0..<0)
        }
        batch.removeAll()
    }

    private func fill(documents batch: inout IndexBatch) throws(StorageError) {
        let load = try IndexLoad(sortedDocuments: batch)
        try sink?.write(bytes: batch.memory) { (transaction) throws(StorageError) in
            try transaction.fillIndex(name, from: load, rows: 0..<0, documents: 0..<load.documentCount)
        }
        batch.removeAll()
    }

    private mutating func entries(_ source: any ReadTransaction) throws(StorageError) {
        var entries = IndexEntries()
        var length = 0
        try source.orderedEntries(name, in: .all, descending: false) { (key, value) throws(StorageError) in
            sums.entries.begin()
            sums.entries.add(key)
            sums.entries.add(value)
            try note(key.byteCount + value.byteCount)
            guard sink != nil else { return true }
            entries.append(key: key, value: value)
            length += key.byteCount + value.byteCount
            if length >= IndexTransfer.batchBytes { try put(&entries, &length) }
            return true
        }
        if entries.count > 0 { try put(&entries, &length) }
    }

    private func put(_ entries: inout IndexEntries, _ length: inout Int) throws(StorageError) {
        let present = entries
        try sink?.write(bytes: length) { (transaction) throws(StorageError) in
            try transaction.putIndexEntries(name, present)
        }
        entries.removeAll()
        length = 0
    }
}
