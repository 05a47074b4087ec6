public import StorageProtocol

extension OrderedMapWriter {
    public func setIndexState(_ name: String, _ state: IndexState) throws(StorageError) {
        try transactionGuard.checkWrite()
        let present = try indexState(name)
        if let present { try state.requireSettable(on: present) }
        var state = state
        state.rowCount = present?.rowCount ?? 0
        try checkedSet(state.packed, of: MapKey.index + name.utf8)
    }

    /// Changes `IndexState.rowCount`.
    ///
    /// - Throws: `notFound` (404) if there is no such index; `corrupt` (591) for an impossible count.
    func changeRowCount(of name: String, by change: Int) throws(StorageError) {
        try transactionGuard.checkWrite()
        guard change != 0 else { return }
        guard var state = try indexState(name) else { throw .noIndex(name) }
        try transactionGuard.noting { () throws(StorageError) in
            let (count, overflow) = (Int64(exactly: state.rowCount) ?? .max).addingReportingOverflow(Int64(change))
            guard !overflow, count >= 0 else { throw .corrupt("The number of an index's rows cannot be") }
            state.rowCount = UInt64(count)
            try setValue(state.packed, of: MapKey.index + name.utf8)
        }
    }

    public func putIndexEntries(_ name: String, _ entries: IndexEntries) throws(StorageError) {
        try transactionGuard.checkWrite()
        guard try indexState(name) != nil else { throw .noIndex(name) }
        try entries.requireStorable()
        try requireStorable(name, entries)
        let prefix = MapKey.entries(of: name)
        try transactionGuard.noting { () throws(StorageError) in
            try transactionGuard.together { () throws(StorageError) in
                try entries.forEach { (key, value) throws(StorageError) in
                    try setValue(ByteCoding.copy(value), of: prefix + ByteCoding.copy(key))
                }
            }
        }
    }

    public func removeIndexEntries(_ name: String, in range: ByteRange) throws(StorageError) {
        try transactionGuard.checkWrite()
        guard try indexState(name) != nil else { throw .noIndex(name) }
        try transactionGuard.noting { () throws(StorageError) in
            try removeValues(in: range.behind(MapKey.entries(of: name)))
        }
    }

    /// Removes the state and the entries of an index.
    func removeIndexState(_ name: String) throws(StorageError) {
        try transactionGuard.checkWrite()
        try transactionGuard.noting { () throws(StorageError) in
            try setValue(nil, of: MapKey.index + name.utf8)
            try removeValues(in: .beginning(with: MapKey.entries(of: name)))
        }
    }
}
