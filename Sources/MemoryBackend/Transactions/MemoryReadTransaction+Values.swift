internal import StorageEngineKit
internal import StorageProtocol

extension MemoryReadTransaction {
    func localDocument(
        _ id: DocumentID,
        _ body: (_ revision: RawSpan, _ json: RawSpan) throws(StorageError) -> Void
    ) throws(StorageError) -> Bool {
        try check()
        guard let local = state.localDocuments[ByteKey(id)] else { return false }
        try hand { () throws(StorageError) in try unsafe body(local.revision.span.bytes, local.json.span.bytes) }
        return true
    }

    func localDocuments(
        after id: DocumentID?,
        _ body: (DocumentID, _ revision: RawSpan, _ json: RawSpan) throws(StorageError) -> Bool
    ) throws(StorageError) {
        try check()
        let documents = state.localDocuments
        let after = id.map { ByteKey($0) }
        func isBefore(_ key: ByteKey) -> Bool { after.map { key <= $0 } ?? false }
        try documents.visit(isBefore: isBefore) { (_, local) throws(StorageError) in
            try hand { () throws(StorageError) in
                try unsafe body(local.id, local.revision.span.bytes, local.json.span.bytes)
            }
        }
    }

    func expiration(of id: DocumentID) throws(StorageError) -> Int64? {
        try check()
        return state.expirations[ByteKey(id)]
    }

    func expirations(
        through limit: Int64,
        _ body: (_ time: Int64, DocumentID) throws(StorageError) -> Bool
    ) throws(StorageError) {
        try check()
        let expirations = state.expirationsByTime
        func isNotAfter(_ key: ExpirationKey) -> Bool { key.time <= limit }
        try expirations.visit(isNotAfter: isNotAfter) { (key, id) throws(StorageError) in
            try hand { () throws(StorageError) in try body(key.time, id) }
        }
    }

    func info(_ key: String) throws(StorageError) -> [UInt8]? {
        try check()
        return state.info[ByteKey(key)]
    }

    func allInfo() throws(StorageError) -> [(key: String, value: [UInt8])] {
        try check()
        var all: [(key: String, value: [UInt8])] = []
        try state.info.visit { (key, value) throws(StorageError) in
            all.append((String(decoding: key.bytes, as: UTF8.self), value))
            return true
        }
        return all
    }

    func blobReference(_ digest: [UInt8]) throws(StorageError) -> BlobReference? {
        try check()
        return state.blobReferences[ByteKey(digest)]
    }

    func blobReferences(
        after digest: [UInt8]?,
        _ body: (BlobReference) throws(StorageError) -> Bool
    ) throws(StorageError) {
        try check()
        let references = state.blobReferences
        let last = digest.map { ByteKey($0) }
        func isBefore(_ key: ByteKey) -> Bool { last.map { key <= $0 } ?? false }
        try references.visit(isBefore: isBefore) { (_, reference) throws(StorageError) in
            try hand { () throws(StorageError) in try body(reference) }
        }
    }
}
