public import StorageProtocol

extension OrderedMapWriter {
    public func setInfo(_ value: [UInt8]?, for key: String) throws(StorageError) {
        try checkedSet(value, of: MapKey.info + key.utf8)
    }

    public func putLocalDocument(_ id: DocumentID, revision: RawSpan, json: RawSpan) throws(StorageError) {
        let value = ByteCoding.pack([ByteCoding.copy(revision), ByteCoding.copy(json)])
        try checkedSet(value, of: MapKey.localDocument + id.string.utf8)
    }

    public func removeLocalDocument(_ id: DocumentID) throws(StorageError) {
        try checkedSet(nil, of: MapKey.localDocument + id.string.utf8)
    }

    public func setExpiration(_ time: Int64?, of id: DocumentID) throws(StorageError) {
        try transactionGuard.checkWrite()
        guard try record(id, fields: .metadata, { _ throws(StorageError) in }) else { throw .noRecord }
        let old = try expiration(of: id)
        guard old != time else { return }
        try transactionGuard.noting { () throws(StorageError) in
            if let old { try setValue(nil, of: MapKey.expiration(at: old, of: id)) }
            if let time { try setValue([], of: MapKey.expiration(at: time, of: id)) }
            let value = time.map { ByteCoding.bytes(MapKey.ordered($0)) }
            try setValue(value, of: MapKey.expiration + id.string.utf8)
        }
    }

    /// Writes the hidden entry of a purge.
    func putHiddenEntry(at sequence: UInt64, of id: DocumentID) throws(StorageError) {
        try checkedSet(Array(id.string.utf8), of: MapKey.hiddenEntry + ByteCoding.bytes(sequence))
    }

    public func trimHiddenEntries(through sequence: UInt64) throws(StorageError) {
        try transactionGuard.checkWrite()
        try transactionGuard.noting { () throws(StorageError) in
            let range = ByteRange(upper: .including(ByteCoding.bytes(sequence)))
            try removeValues(in: range.behind(MapKey.hiddenEntry))
        }
    }
}
