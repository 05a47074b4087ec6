internal import StorageProtocol

extension SQLiteWriteTransaction {
    func setIndexState(_ name: String, _ state: IndexState) throws(StorageError) {
        try checkWrite()
        guard let last = Int64(exactly: state.lastSequence), let changed = Int64(exactly: state.lastChangedSequence)
        else {
            throw .impossibleCount
        }
        let isNew = try index(name) == nil
        try unsafe name.withRawBytes { (name) throws(StorageError) in
            try unsafe state.version.withRawBytes { (version) throws(StorageError) in
                try unsafe state.collationVersion.withRawBytes { (collation) throws(StorageError) in
                    try run(Query(isNew ? .addIndex : .setIndexState)) { statement in
                        unsafe statement.bindText(version, 1)
                        unsafe statement.bindText(collation, 2)
                        statement.bind(last, 3)
                        statement.bind(changed, 4)
                        unsafe statement.bindText(name, 5)
                    }
                }
            }
        }
        if isNew {
            for table in Schema.indexTables(connection.lastInsertedRow) { try define(table.sql) }
        }
        didWrite()
    }

    func replaceIndexRows(
        _ name: String,
        of id: DocumentID,
        sequence: UInt64?,
        rows: [IndexRow]
    ) throws(StorageError) -> IndexReplacement {
        try checkWrite()
        let number = try indexNumber(name)
        return try unsafe id.withRawBytes { (id) throws(StorageError) in
            let present = try rowNow(Query(.documentSequence), { unsafe $0.bindText(id, 1) }) {
                (row) throws(StorageError) -> UInt64? in
                row.isNull(0) ? nil : try row.count(0)
            }
            guard present == sequence else { return IndexReplacement(accepted: false, changed: false) }
            let changed = try unsafe replace(number, id, sequence ?? 0, rows)
            didWrite()
            return IndexReplacement(accepted: true, changed: changed)
        }
    }

    func putIndexSummary(_ name: String, key: [UInt8], value: [UInt8]) throws(StorageError) {
        try checkWrite()
        let number = try indexNumber(name)
        try unsafe key.withRawBytes { (key) throws(StorageError) in
            try unsafe value.withRawBytes { (value) throws(StorageError) in
                try run(Query(.putIndexSummary)) { statement in
                    statement.bind(number, 1)
                    unsafe statement.bindBlob(key, 2)
                    unsafe statement.bindBlob(value, 3)
                }
            }
        }
        didWrite()
    }

    func removeIndexSummaries(_ name: String, in range: ByteRange) throws(StorageError) {
        try checkWrite()
        let number = try indexNumber(name)
        try unsafe range.withBounds { (lower, upper) throws(StorageError) in
            try run(.summaries(RangeForm(range), remove: true)) { unsafe $0.bind(summaries: number, lower, upper) }
        }
        didWrite()
    }

    func dropIndex(_ name: String) throws(StorageError) {
        try checkWrite()
        guard let number = try index(name)?.number else { return }
        connection.forgetIndex(number)
        for table in Schema.indexTables(number) { try define("DROP TABLE \(table.name)") }
        for query in [Query(.removeSummaries), Query(.removeIndex)] { try run(query) { $0.bind(number, 1) } }
        didWrite()
    }

    /// Makes or drops a table.
    private func define(_ sql: String) throws(StorageError) {
        do {
            try connection.execute(sql, "Changing an index's tables")
        } catch {
            didFail(error)
            throw error
        }
    }

    /// Brings the rows of a document to `rows`, writing only what differs. Returns whether anything did.
    @unsafe
    private func replace(
        _ number: Int64,
        _ id: UnsafeRawBufferPointer,
        _ sequence: UInt64,
        _ rows: [IndexRow]
    ) throws(StorageError) -> Bool {
        let encoded = try rowNow(
            .of(number, .document),
            { unsafe $0.bindText(id, 1) },
            {
                (row) throws(StorageError) -> [UInt8]? in
                row.isNull(0) ? nil : unsafe Array(try row.bytes(1, type: .blob))
            }
        )
        let old = try EmittedKeys.decode(encoded ?? [])
        var changed = old.count != rows.count
        for emit in 0..<max(old.count, rows.count) {
            let before = emit < old.count ? old[emit] : nil
            let after = emit < rows.count ? rows[emit] : nil
            if let before, let after, before == after.key {
                if try unsafe isSame(number, id, emit, after) { continue }
                try unsafe write(.changeRow, number, id, emit, after)
            } else {
                if let before { try unsafe remove(number, before, id, emit) }
                if let after { try unsafe write(.addRow, number, id, emit, after) }
            }
            changed = true
        }
        let keys = EmittedKeys.encode(rows)
        if rows.isEmpty {
            if encoded != nil { try run(.of(number, .removeDocument)) { unsafe $0.bindText(id, 1) } }
        } else if encoded == keys {
            try run(.of(number, .moveDocument)) { statement in
                statement.bind(sequence, 1)
                unsafe statement.bindText(id, 2)
            }
        } else {
            try unsafe keys.withRawBytes { (keys) throws(StorageError) in
                try run(.of(number, .putDocument)) { statement in
                    unsafe statement.bindText(id, 1)
                    statement.bind(sequence, 2)
                    unsafe statement.bindBlob(keys, 3)
                }
            }
        }
        if old.count != rows.count {
            try run(Query(.addIndexRows)) { statement in
                statement.bind(Int64(rows.count - old.count), 1)
                statement.bind(number, 2)
            }
        }
        return changed
    }

    /// Whether the stored row has the same JSON as `row`, whose key it has.
    @unsafe
    private func isSame(
        _ number: Int64,
        _ id: UnsafeRawBufferPointer,
        _ emit: Int,
        _ row: IndexRow
    ) throws(StorageError) -> Bool {
        try unsafe row.key.withRawBytes { (key) throws(StorageError) in
            try rowNow(.of(number, .sameRow), { unsafe $0.bind(key, id, emit) }) { (stored) throws(StorageError) in
                if stored.isNull(0) { throw .corrupt("An index row is missing that its document's record names") }
                let keyBefore = unsafe try stored.bytes(0, type: .text)
                guard unsafe row.keyJSON.elementsEqual(keyBefore) else { return false }
                guard let value = row.valueJSON else { return stored.isNull(1) }
                if stored.isNull(1) { return false }
                let before = unsafe try stored.bytes(1, type: .text)
                return unsafe value.elementsEqual(before)
            }
        }
    }

    @unsafe
    private func write(
        _ query: Query.OfIndex,
        _ number: Int64,
        _ id: UnsafeRawBufferPointer,
        _ emit: Int,
        _ row: IndexRow
    ) throws(StorageError) {
        try unsafe row.key.withRawBytes { (key) throws(StorageError) in
            try unsafe row.keyJSON.withRawBytes { (keyJSON) throws(StorageError) in
                try unsafe (row.valueJSON ?? []).withRawBytes { (valueJSON) throws(StorageError) in
                    try run(.of(number, query)) { statement in
                        unsafe statement.bind(key, id, emit)
                        unsafe statement.bindText(keyJSON, 4)
                        if row.valueJSON == nil {
                            statement.bindNull(5)
                        } else {
                            unsafe statement.bindText(valueJSON, 5)
                        }
                    }
                }
            }
        }
    }

    @unsafe
    private func remove(
        _ number: Int64,
        _ key: [UInt8],
        _ id: UnsafeRawBufferPointer,
        _ emit: Int
    ) throws(StorageError) {
        try unsafe key.withRawBytes { (key) throws(StorageError) in
            try run(.of(number, .removeRow)) { unsafe $0.bind(key, id, emit) }
        }
    }
}

extension Statement {
    /// Binds a row's place to parameters 1 to 3.
    @unsafe
    fileprivate func bind(_ key: UnsafeRawBufferPointer, _ id: UnsafeRawBufferPointer, _ emit: Int) {
        unsafe bindBlob(key, 1)
        unsafe bindText(id, 2)
        bind(Int64(emit), 3)
    }
}
