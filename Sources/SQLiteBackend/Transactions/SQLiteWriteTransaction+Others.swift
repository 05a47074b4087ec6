internal import StorageProtocol

/// Local documents, expirations, info values and blob references.
extension SQLiteWriteTransaction {
    func putLocalDocument(_ id: DocumentID, revision: RawSpan, json: RawSpan) throws(StorageError) {
        try checkWrite()
        try unsafe id.withRawBytes { (id) throws(StorageError) in
            try unsafe revision.withUnsafeBytes { (revision) throws(StorageError) in
                try unsafe json.withUnsafeBytes { (json) throws(StorageError) in
                    try put(changing: .changeLocalDocument, adding: .addLocalDocument) { statement in
                        unsafe statement.bindText(id, 1)
                        unsafe statement.bindText(revision, 2)
                        unsafe statement.bindText(json, 3)
                    }
                }
            }
        }
        didWrite()
    }

    func removeLocalDocument(_ id: DocumentID) throws(StorageError) {
        try checkWrite()
        try unsafe id.withRawBytes { (id) throws(StorageError) in
            try run(Query(.removeLocalDocument)) { unsafe $0.bindText(id, 1) }
        }
        if connection.changes > 0 { didWrite() }
    }

    func setExpiration(_ time: Int64?, of id: DocumentID) throws(StorageError) {
        try checkWrite()
        _ = try existing(id)
        try unsafe id.withRawBytes { (id) throws(StorageError) in
            guard let time else {
                try run(Query(.deleteExpiration)) { unsafe $0.bindText(id, 1) }
                if connection.changes > 0 { didWrite() }
                return
            }
            try put(changing: .changeExpiration, adding: .addExpiration) { statement in
                unsafe statement.bindText(id, 1)
                statement.bind(time, 2)
            }
            didWrite()
        }
    }

    func setInfo(_ value: [UInt8]?, for key: String) throws(StorageError) {
        try checkWrite()
        try unsafe key.withRawBytes { (key) throws(StorageError) in
            guard let value else {
                try run(Query(.removeInfo)) { unsafe $0.bindText(key, 1) }
                if connection.changes > 0 { didWrite() }
                return
            }
            try unsafe value.withRawBytes { (value) throws(StorageError) in
                try put(.putInfo, changing: .changeInfo, adding: .addInfo) { statement in
                    unsafe statement.bindText(key, 1)
                    unsafe statement.bindBlob(value, 2)
                }
            }
            didWrite()
        }
    }

    func setBlobReference(_ reference: BlobReference) throws(StorageError) {
        try checkWrite()
        guard let length = Int64(exactly: reference.length), let count = Int64(exactly: reference.count) else {
            throw .impossibleCount
        }
        try unsafe reference.digest.withRawBytes { (digest) throws(StorageError) in
            try unsafe reference.storageName.withRawBytes { (name) throws(StorageError) in
                try put(.putBlobReference, changing: .changeBlobReference, adding: .addBlobReference) { statement in
                    unsafe statement.bindBlob(digest, 1)
                    unsafe statement.bindText(name, 2)
                    statement.bind(length, 3)
                    statement.bind(count, 4)
                }
            }
        }
        didWrite()
    }

    func removeBlobReference(_ digest: [UInt8]) throws(StorageError) {
        try checkWrite()
        try unsafe digest.withRawBytes { (digest) throws(StorageError) in
            try run(Query(.removeBlobReference)) { unsafe $0.bindBlob(digest, 1) }
        }
        if connection.changes > 0 { didWrite() }
    }
}
