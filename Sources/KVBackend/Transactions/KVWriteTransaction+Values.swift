internal import StorageProtocol

/// Local documents, expirations, info values and blob references.
extension KVWriteTransaction {
    func putLocalDocument(_ id: DocumentID, revision: RawSpan, json: RawSpan) throws(StorageError) {
        try checkWrite()
        try noting { () throws(StorageError) in
            try unsafe id.withRawBytes { (id) throws(StorageError) in
                try unsafe revision.withUnsafeBytes { (revision) throws(StorageError) in
                    try unsafe json.withUnsafeBytes { (json) throws(StorageError) in
                        let local = unsafe LocalValue(revision: revision, json: json)
                        _ = try unsafe putLong(id, in: .locals, length: local.length) { unsafe local.write(to: $0) }
                    }
                }
            }
        }
    }

    func removeLocalDocument(_ id: DocumentID) throws(StorageError) {
        try checkWrite()
        try noting { () throws(StorageError) in
            try unsafe id.withRawBytes { (id) throws(StorageError) in _ = try unsafe removeLong(id, in: .locals) }
        }
    }

    func setExpiration(_ time: Int64?, of documentID: DocumentID) throws(StorageError) {
        try checkWrite()
        try noting { () throws(StorageError) in
            try unsafe documentID.withRawBytes { (id) throws(StorageError) in
                _ = try unsafe existing(documentID, id)
                try unsafe clearExpiration(of: id)
                guard let time else { return }
                _ = try unsafe putLong(id, in: .expirations, length: 8) {
                    unsafe $0.storeBytes(of: time.bigEndian, as: Int64.self)
                }
                try unsafe ExpiryKey.withBytes(time, id) { (key) throws(StorageError) in
                    _ = try unsafe putLong(key, in: .expiries, length: 0) { _ in }
                }
            }
        }
    }

    /// Removes the expiration of a document. Does nothing if there is none.
    func clearExpiration(of id: UnsafeRawBufferPointer) throws(StorageError) {
        guard let time = try unsafe storedExpiration(of: id) else { return }
        let isThere = try unsafe ExpiryKey.withBytes(time, id) { (key) throws(StorageError) in
            try unsafe removeLong(key, in: .expiries, mode: .known)
        }
        guard isThere else { throw .damagedExpiration }
        _ = try unsafe removeLong(id, in: .expirations, mode: .known)
    }

    func setInfo(_ value: [UInt8]?, for key: String) throws(StorageError) {
        try checkWrite()
        try noting { () throws(StorageError) in
            try unsafe key.withRawBytes { (key) throws(StorageError) in
                if let value {
                    _ = try unsafe putLong(key, in: .info, length: value.count) { unsafe $0.copyBytes(from: value) }
                } else {
                    _ = try unsafe removeLong(key, in: .info)
                }
            }
        }
    }

    /// - Throws: `badParameter` (495) for a digest that does not have 20 bytes.
    func setBlobReference(_ reference: BlobReference) throws(StorageError) {
        try checkWrite()
        guard reference.digest.count == BlobReference.digestLength else {
            throw StorageError(
                .badParameter,
                "A blob's SHA-1 has \(BlobReference.digestLength) bytes, not \(reference.digest.count)."
            )
        }
        try noting { () throws(StorageError) in
            let value = reference.stored
            try unsafe reference.digest.withRawBytes { (key) throws(StorageError) in
                _ = try unsafe put(key, in: .blobs, length: value.count) { unsafe $0.copyBytes(from: value) }
            }
        }
    }

    func removeBlobReference(_ digest: [UInt8]) throws(StorageError) {
        try checkWrite()
        guard digest.count == BlobReference.digestLength else { return }
        try noting { () throws(StorageError) in
            try unsafe digest.withRawBytes { (key) throws(StorageError) in _ = try unsafe remove(key, in: .blobs) }
        }
    }
}
