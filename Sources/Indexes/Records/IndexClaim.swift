package import SetteeEngine
package import StorageProtocol

/// Which version of an index is current, and the error for programs that have set another one.
package enum IndexClaim {
    /// Makes a mapper's version the current one.
    ///
    /// - Returns: the indexes whose derived entries were removed.
    @discardableResult
    package static func store(
        _ mapper: any RowMapper,
        for name: IndexName,
        in session: WriteSession
    ) throws(StorageError) -> [String] {
        var record = try IndexRecord.load(name, in: session.transaction) ?? IndexRecord(version: mapper.version)
        session.noteChange()
        if record.version != mapper.version {
            // An incomplete index has never served queries. A complete one serves them until its successor is complete.
            for entry in record.entries where !entry.isComplete {
                try session.dropIndex(entry.index)
            }
            record.entries.removeAll { !$0.isComplete }
            record.version = mapper.version
        }
        var cleared: [String] = []
        let derived = mapper.derivedEntries?.identity
        if record.derived != derived {
            cleared = record.entries.map(\.index)
            for index in cleared { try session.removeAllIndexEntries(index) }
            record.derived = derived
        }
        try record.store(name, in: session)
        return cleared
    }

    /// - Throws: `superseded` (412) if another version of the index is current now.
    package static func check(
        _ mapper: any RowMapper,
        _ record: IndexRecord?,
        _ name: IndexName
    ) throws(StorageError) {
        guard let record, record.version != mapper.version else { return }
        let kind = name.kind
        throw StorageError(
            .superseded,
            """
            Another program has set version '\(kind.label(of: record.version))' of \(name.described), this one has \
            '\(kind.label(of: mapper.version))'. Use one version, or give the \(kind.words.plural) different names.
            """
        )
    }

    /// Removes the rows of an index. The next query builds it again.
    package static func removeRows(of name: IndexName, in session: WriteSession) throws(StorageError) {
        guard var record = try IndexRecord.load(name, in: session.transaction) else { return }
        session.noteChange()
        for entry in record.entries { try session.dropIndex(entry.index) }
        record.entries = []
        try record.store(name, in: session)
    }

    /// Removes an index with its record, even if that is damaged.
    package static func remove(_ name: IndexName, in session: WriteSession) throws(StorageError) {
        session.noteChange()
        do throws(StorageError) {
            for entry in try IndexRecord.load(name, in: session.transaction)?.entries ?? [] {
                try session.dropIndex(entry.index)
            }
            try session.transaction.setInfo(nil, for: name.recordKey)
        } catch {
            guard error.code == .corrupt else { throw error }
            // A damaged record does not say which indexes belong to it.
            try session.transaction.setInfo(nil, for: name.recordKey)
            try IndexHousekeeping.dropUnowned(of: name.kind, in: session)
        }
    }
}
