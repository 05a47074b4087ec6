public import StorageProtocol

extension OrderedMapReader {
    public func info(_ key: String) throws(StorageError) -> [UInt8]? { try checkedValue(MapKey.info + key.utf8) }

    public func allInfo() throws(StorageError) -> [(key: String, value: [UInt8])] {
        var all: [(key: String, value: [UInt8])] = []
        try list(.all, behind: MapKey.info) { (key, value) throws(StorageError) in
            all.append((try ByteCoding.text(Array(key)), value))
            return true
        }
        return all
    }

    public func localDocument(
        _ id: DocumentID,
        _ body: (_ revision: RawSpan, _ json: RawSpan) throws(StorageError) -> Void
    ) throws(StorageError) -> Bool {
        guard let value = try checkedValue(MapKey.localDocument + id.string.utf8) else { return false }
        try transactionGuard.noting { () throws(StorageError) in
            let parts = try ByteCoding.unpack(value, count: 2)
            let (revision, json) = (parts[0], parts[1])
            try transactionGuard.hand { () throws(StorageError) in
                try unsafe body(revision.span.bytes, json.span.bytes)
            }
        }
        return true
    }

    public func localDocuments(
        after id: DocumentID?,
        _ body: (DocumentID, _ revision: RawSpan, _ json: RawSpan) throws(StorageError) -> Bool
    ) throws(StorageError) {
        let range = ByteRange(lower: id.map { .excluding(Array($0.string.utf8)) } ?? .open)
        try list(range, behind: MapKey.localDocument) { (key, value) throws(StorageError) in
            let id = try DocumentID(stored: unsafe key.span.bytes)
            let parts = try ByteCoding.unpack(value, count: 2)
            let (revision, json) = (parts[0], parts[1])
            return try transactionGuard.hand { () throws(StorageError) in
                try unsafe body(id, revision.span.bytes, json.span.bytes)
            }
        }
    }

    public func expiration(of id: DocumentID) throws(StorageError) -> Int64? {
        guard let value = try checkedValue(MapKey.expiration + id.string.utf8) else { return nil }
        return try transactionGuard.noting { () throws(StorageError) in MapKey.time(try ByteCoding.number(value)) }
    }

    public func expirations(
        through limit: Int64,
        _ body: (_ time: Int64, DocumentID) throws(StorageError) -> Bool
    ) throws(StorageError) {
        try list(.all, behind: MapKey.expirationByTime) { (key, _) throws(StorageError) in
            let time = MapKey.time(try ByteCoding.number(key.prefix(8)))
            guard time <= limit else { return false }
            let rest = key.dropFirst(8)
            let id = try DocumentID(stored: unsafe rest.span.bytes)
            return try transactionGuard.hand { () throws(StorageError) in try body(time, id) }
        }
    }

    public func hiddenEntries(
        sequences range: ClosedRange<UInt64>,
        _ body: (_ sequence: UInt64, DocumentID) throws(StorageError) -> Bool
    ) throws(StorageError) {
        let range = ByteRange(
            lower: .including(ByteCoding.bytes(range.lowerBound)),
            upper: .including(ByteCoding.bytes(range.upperBound))
        )
        try list(range, behind: MapKey.hiddenEntry) { (key, value) throws(StorageError) in
            let sequence = try ByteCoding.number(key)
            let id = try DocumentID(stored: unsafe value.span.bytes)
            return try transactionGuard.hand { () throws(StorageError) in try body(sequence, id) }
        }
    }
}
