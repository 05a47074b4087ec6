internal import StorageProtocol

/// Local documents, expirations, info values and blob references.
extension KVReadTransaction {
    func localDocument(
        _ id: DocumentID,
        _ body: (_ revision: RawSpan, _ json: RawSpan) throws(StorageError) -> Void
    ) throws(StorageError) -> Bool {
        try check()
        return try noting { () throws(StorageError) in
            try unsafe id.withRawBytes { (id) throws(StorageError) in
                try unsafe LongKeyTable(.locals, in: base).withValue(of: id) { (value) throws(StorageError) in
                    guard let value = unsafe value else { return false }
                    let local = try unsafe LocalValue(value)
                    try hand { () throws(StorageError) in try unsafe body(local.revision.bytes, local.json.bytes) }
                    return true
                }
            }
        }
    }

    func localDocuments(
        after id: DocumentID?,
        _ body: (DocumentID, _ revision: RawSpan, _ json: RawSpan) throws(StorageError) -> Bool
    ) throws(StorageError) {
        try check()
        let range = ByteRange(lower: id.map { .excluding(Array($0.string.utf8)) } ?? .open)
        try noting { () throws(StorageError) in
            try unsafe scan(.locals, in: range) { (id, value) throws(StorageError) in
                let id = try unsafe DocumentID(stored: id.bytes)
                let local = try unsafe LocalValue(value)
                return try hand { () throws(StorageError) in
                    try unsafe body(id, local.revision.bytes, local.json.bytes)
                }
            }
        }
    }

    func expiration(of id: DocumentID) throws(StorageError) -> Int64? {
        try check()
        return try noting { () throws(StorageError) in
            try unsafe id.withRawBytes { (id) throws(StorageError) in try unsafe storedExpiration(of: id) }
        }
    }

    final func storedExpiration(of id: UnsafeRawBufferPointer) throws(StorageError) -> Int64? {
        try unsafe LongKeyTable(.expirations, in: base).withValue(of: id) { (value) throws(StorageError) -> Int64? in
            guard let value = unsafe value else { return nil }
            guard let time = unsafe FixedKey.number(value) else { throw .damagedExpiration }
            return Int64(bitPattern: time)
        }
    }

    func expirations(
        through limit: Int64,
        _ body: (_ time: Int64, DocumentID) throws(StorageError) -> Bool
    ) throws(StorageError) {
        try check()
        try noting { () throws(StorageError) in
            try unsafe scan(.expiries, in: .all) { (key, _) throws(StorageError) in
                let (time, bytes) = try unsafe ExpiryKey.parts(key)
                if time > limit { return false }
                let id = try unsafe DocumentID(stored: bytes.bytes)
                return try hand { () throws(StorageError) in try body(time, id) }
            }
        }
    }

    func info(_ key: String) throws(StorageError) -> [UInt8]? {
        try check()
        return try noting { () throws(StorageError) in
            try unsafe key.withRawBytes { (key) throws(StorageError) in
                try unsafe LongKeyTable(.info, in: base).withValue(of: key) { (value) throws(StorageError) in
                    unsafe value.map { unsafe Array($0) }
                }
            }
        }
    }

    func allInfo() throws(StorageError) -> [(key: String, value: [UInt8])] {
        try check()
        return try noting { () throws(StorageError) in
            var all: [(key: String, value: [UInt8])] = []
            try unsafe scan(.info, in: .all) { (key, value) throws(StorageError) in
                guard let key = unsafe String(validating: key, as: UTF8.self) else { throw .damagedKey }
                all.append((key, unsafe Array(value)))
                return true
            }
            return all
        }
    }

    func blobReference(_ digest: [UInt8]) throws(StorageError) -> BlobReference? {
        try check()
        // No other key is stored.
        guard digest.count == BlobReference.digestLength else { return nil }
        return try noting { () throws(StorageError) in
            try unsafe digest.withRawBytes { (key) throws(StorageError) in
                try unsafe base.withValue(of: key, in: .blobs) { (value) throws(StorageError) -> BlobReference? in
                    guard let value = unsafe value else { return nil }
                    return try unsafe BlobReference(storedKey: key, value)
                }
            }
        }
    }

    func blobReferences(
        after digest: [UInt8]?,
        _ body: (BlobReference) throws(StorageError) -> Bool
    ) throws(StorageError) {
        try check()
        try noting { () throws(StorageError) in
            let cursor = try base.cursor(.blobs)
            defer { if !isOver { cursor.close() } }
            // A longer byte string comes directly after its first 20 bytes, if those are a digest.
            let after = digest.map { ByteRange.Bound.excluding(Array($0.prefix(BlobReference.digestLength))) }
            var isThere = try cursor.seek(first: after == .excluding([]) ? .open : after ?? .open)
            var order = KeyOrder()
            while isThere {
                try unsafe order.pass(cursor.key)
                let reference = try unsafe BlobReference(storedKey: cursor.key, cursor.value)
                guard try hand({ () throws(StorageError) in try body(reference) }) else { return }
                if isOver { throw .transactionIsOver }
                isThere = try cursor.next()
            }
        }
    }
}

extension StorageError {
    static var damagedExpiration: StorageError { .corrupt("A stored expiration is damaged") }
}
