public import StorageProtocol

extension OrderedMapReader {
    /// Always false, because dropping an index leaves nothing behind.
    public func hasDroppedIndexes() throws(StorageError) -> Bool {
        try transactionGuard.check()
        return false
    }

    public func indexNames() throws(StorageError) -> [String] {
        var names: [String] = []
        try list(.all, behind: MapKey.index) { (key, _) throws(StorageError) in
            names.append(try ByteCoding.text(Array(key)))
            return true
        }
        return names
    }

    public func indexState(_ name: String) throws(StorageError) -> IndexState? {
        guard let value = try checkedValue(MapKey.index + name.utf8) else { return nil }
        return try transactionGuard.noting { () throws(StorageError) in try IndexState(packed: value) }
    }

    public func indexEntry(
        _ name: String,
        key: RawSpan,
        _ body: (_ value: RawSpan) throws(StorageError) -> Void
    ) throws(StorageError) -> Bool {
        guard let value = try checkedValue(MapKey.entries(of: name) + ByteCoding.copy(key)) else { return false }
        try transactionGuard.noting { () throws(StorageError) in
            try transactionGuard.hand { () throws(StorageError) in try unsafe body(value.span.bytes) }
        }
        return true
    }

    public func indexEntries(
        _ name: String,
        in range: ByteRange,
        descending: Bool,
        _ body: (_ key: RawSpan, _ value: RawSpan) throws(StorageError) -> Bool
    ) throws(StorageError) {
        try list(range, behind: MapKey.entries(of: name), descending: descending) {
            (key, value) throws(StorageError) in
            try transactionGuard.hand { () throws(StorageError) in try unsafe body(key.span.bytes, value.span.bytes) }
        }
    }
}

extension IndexState {
    var packed: [UInt8] {
        let numbers = [lastSequence, lastChangedSequence, rowCount, keepsSequences ? 1 : 0]
        return ByteCoding.pack([Array(version.utf8), Array(collationVersion.utf8)] + numbers.map(ByteCoding.bytes))
    }

    fileprivate init(packed: [UInt8]) throws(StorageError) {
        let parts = try ByteCoding.unpack(packed, count: 6)
        self.init(
            version: try ByteCoding.text(parts[0]),
            collationVersion: try ByteCoding.text(parts[1]),
            lastSequence: try ByteCoding.number(parts[2]),
            lastChangedSequence: try ByteCoding.number(parts[3]),
            rowCount: try ByteCoding.number(parts[4]),
            keepsSequences: try ByteCoding.number(parts[5]) != 0
        )
    }
}
