internal import SetteeEngine
internal import StorageProtocol

/// Which version of a view is current, and the error for programs that have set another one.
enum ViewClaim {
    /// Makes a function's version the current one.
    ///
    /// - Parameter definition: the text to store; nil: the stored definition is removed.
    static func store(
        _ function: ViewFunction,
        for name: ViewName,
        definition: [UInt8]?,
        in session: WriteSession
    ) throws(StorageError) {
        var record = try ViewRecord.load(name, in: session.transaction) ?? ViewRecord(version: function.version)
        session.noteChange()
        if record.version != function.version {
            // An incomplete index has never served queries. A complete one serves them until its successor is complete.
            for entry in record.entries where !entry.isComplete {
                try session.dropIndex(entry.index)
            }
            record.entries.removeAll { !$0.isComplete }
            record.version = function.version
        }
        if record.reduce != function.reduce?.identity {
            for entry in record.entries {
                try session.removeAllIndexEntries(entry.index)
                session.database.viewRegistry.setSummaryMark(nil, for: entry.index)
            }
            record.reduce = function.reduce?.identity
        }
        try session.transaction.setInfo(definition, for: ViewDefinition.infoKey(name))
        try record.store(name, in: session)
    }

    /// - Throws: `superseded` (412) if another version of the view is current now.
    static func check(_ function: ViewFunction, _ record: ViewRecord?, _ name: ViewName) throws(StorageError) {
        guard let record, record.version != function.version else { return }
        throw StorageError(
            .superseded,
            """
            Another program has set version '\(record.version.name)' of view '\(name.string)', this one has \
            '\(function.version.name)'. Use one version, or give the views different names.
            """
        )
    }

    static func status(
        _ name: ViewName,
        of database: Database,
        in transaction: any ReadTransaction
    ) throws(StorageError) -> ViewStatus? {
        let record = try ViewRecord.load(name, in: transaction)
        let function = try database.viewFunction(name, in: transaction)
        guard let version = record?.version ?? function?.version else { return nil }
        let last = try transaction.counters().lastSequence
        var status = ViewStatus(
            name: name.string,
            version: version.name,
            definition: try ViewDefinition.load(name, in: transaction),
            reduce: function?.reduce?.name ?? record?.reduce.map { String($0.prefix { $0 != "/" }) },
            collation: version.collation,
            rowCount: 0,
            lastSequence: 0,
            lastChangedSequence: 0,
            isStale: true,
            failedDocuments: database.viewRegistry.faults(name).failed,
            refusedRows: database.viewRegistry.faults(name).refused
        )
        let entry = record?.readable(collation: try database.collationVersion(version.collation))
        if let entry, let state = try transaction.indexState(entry.index) {
            status.rowCount = state.rowCount
            status.lastSequence = state.lastSequence
            status.lastChangedSequence = state.lastChangedSequence
            status.isStale = entry.version != version || state.lastSequence < last
        }
        return status
    }
}
