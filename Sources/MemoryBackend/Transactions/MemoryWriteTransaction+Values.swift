internal import StorageEngineKit
internal import StorageProtocol

extension MemoryWriteTransaction {
    func putLocalDocument(_ id: DocumentID, revision: RawSpan, json: RawSpan) throws(StorageError) {
        try checkWrite()
        didWrite()
        let local = LocalDocument(id: id, revision: Array(copying: revision), json: Array(copying: json))
        state.localDocuments.set(ByteKey(id), local)
    }

    func removeLocalDocument(_ id: DocumentID) throws(StorageError) {
        try checkWrite()
        if state.localDocuments.remove(ByteKey(id)) != nil { didWrite() }
    }

    func setExpiration(_ time: Int64?, of documentID: DocumentID) throws(StorageError) {
        try checkWrite()
        guard state.records.record(documentID) != nil else { throw .noRecord }
        let id = ByteKey(documentID)
        if let old = state.expirations.remove(id) {
            didWrite()
            state.expirationsByTime.remove(ExpirationKey(time: old, id: id))
        }
        if let time {
            didWrite()
            state.expirations.set(id, time)
            state.expirationsByTime.set(ExpirationKey(time: time, id: id), documentID)
        }
    }

    func setInfo(_ value: [UInt8]?, for key: String) throws(StorageError) {
        try checkWrite()
        if let value {
            didWrite()
            state.info.set(ByteKey(key), value)
        } else if state.info.remove(ByteKey(key)) != nil {
            didWrite()
        }
    }

    func setBlobReference(_ reference: BlobReference) throws(StorageError) {
        try checkWrite()
        didWrite()
        state.blobReferences.set(ByteKey(reference.digest), reference)
    }

    func removeBlobReference(_ digest: [UInt8]) throws(StorageError) {
        try checkWrite()
        if state.blobReferences.remove(ByteKey(digest)) != nil { didWrite() }
    }
}
