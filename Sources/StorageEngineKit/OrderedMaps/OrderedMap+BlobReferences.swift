public import StorageProtocol

extension OrderedMapReader {
    public func blobReference(_ digest: [UInt8]) throws(StorageError) -> BlobReference? {
        guard let value = try checkedValue(MapKey.blobReference + digest) else { return nil }
        return try transactionGuard.noting { () throws(StorageError) in
            try BlobReference(digest: digest, packed: value)
        }
    }

    public func blobReferences(
        after digest: [UInt8]?,
        _ body: (BlobReference) throws(StorageError) -> Bool
    ) throws(StorageError) {
        let range = ByteRange(lower: digest.map { .excluding($0) } ?? .open)
        try list(range, behind: MapKey.blobReference) { (key, value) throws(StorageError) in
            let reference = try BlobReference(digest: Array(key), packed: value)
            return try transactionGuard.hand { () throws(StorageError) in try body(reference) }
        }
    }
}

extension OrderedMapWriter {
    public func setBlobReference(_ reference: BlobReference) throws(StorageError) {
        try checkedSet(reference.packed, of: MapKey.blobReference + reference.digest)
    }

    public func removeBlobReference(_ digest: [UInt8]) throws(StorageError) {
        try checkedSet(nil, of: MapKey.blobReference + digest)
    }
}

extension BlobReference {
    fileprivate var packed: [UInt8] {
        ByteCoding.pack([Array(storageName.utf8), ByteCoding.bytes(length), ByteCoding.bytes(count)])
    }

    fileprivate init(digest: [UInt8], packed: [UInt8]) throws(StorageError) {
        let parts = try ByteCoding.unpack(packed, count: 3)
        self.init(
            digest: digest,
            storageName: try ByteCoding.text(parts[0]),
            length: try ByteCoding.number(parts[1]),
            count: try ByteCoding.number(parts[2])
        )
    }
}
