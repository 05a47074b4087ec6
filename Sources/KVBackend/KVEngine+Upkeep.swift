internal import StorageProtocol

extension KVEngine {
    final func checkOpen() throws(StorageError) {
        if isClosed { throw .closed }
    }

    final func checkpoint() throws(StorageError) {
        try checkOpen()
        if options.readOnly { throw .readOnly }
        try using { (store) throws(StorageError) in try store.checkpoint() }
    }

    final func raiseDurability() throws(StorageError) {
        try checkOpen()
        try using { (store) throws(StorageError) in try store.raiseDurability() }
    }

    final func statistics() throws(StorageError) -> StorageStatistics {
        try using { (store) throws(StorageError) in
            var figures = try store.statistics()
            figures.openTransactions = openTransactions
            let transaction = try store.beginRead()
            defer { transaction.end() }
            let versions = try TransactionDictionaries(transaction: transaction, cache: dictionaries).all()
            if !versions.isEmpty {
                let texts = versions.map { "version \($0.version): \($0.length) bytes" }
                figures.details.append(("dictionaries", texts.joined(separator: ", ")))
            }
            return figures
        }
    }

    /// Checks the store, then the consistency of its tables, on one snapshot.
    final func verify(
        progress: (_ done: UInt64, _ of: UInt64) throws(StorageError) -> Void,
        _ report: (StorageProblem) -> Void
    ) throws(StorageError) {
        let parts = UInt64(LayoutCheck<Store>.parts)
        try progress(0, parts + 1)
        try using { (store) throws(StorageError) in
            try store.verify(
                step: { () throws(StorageError) in
                    try checkOpen()
                    try progress(0, parts + 1)
                },
                report
            )
        }
        let transaction = KVReadTransaction(self, try beginBaseRead(), isWriter: false)
        defer { transaction.end() }
        let check = LayoutCheck(transaction)
        try check.run { (done) throws(StorageError) in try progress(UInt64(done) + 1, parts + 1) }
        for problem in check.problems { report(problem) }
    }
}
