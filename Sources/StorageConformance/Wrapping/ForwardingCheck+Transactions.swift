internal import StorageEngineKit
internal import StorageProtocol

extension ForwardingCheck {
    func read(_ tx: any ReadTransaction) {
        call("counters") { () throws(StorageError) in _ = try tx.counters() }
        readRecords(tx)
        readIndexes(tx)
        call("blobReference") { () throws(StorageError) in _ = try tx.blobReference([1]) }
        call("blobReferences") { () throws(StorageError) in
            try tx.blobReferences(after: [1]) { (_) throws(StorageError) in true }
        }
    }

    private func readRecords(_ tx: any ReadTransaction) {
        call("record") { () throws(StorageError) in
            _ = try tx.record(DocumentID("d"), fields: .all) { (_) throws(StorageError) in }
        }
        call("records(ids:)") { () throws(StorageError) in
            try tx.records(ids: [DocumentID("d")], fields: .all) { (_, _) throws(StorageError) in true }
        }
        call("records(in:)") { () throws(StorageError) in
            try tx.records(in: .all, descending: false, fields: .all) { (_) throws(StorageError) in true }
        }
        call("records(sequences:)") { () throws(StorageError) in
            try tx.records(sequences: 1...2, descending: false, fields: .all) { (_) throws(StorageError) in true }
        }
        call("records(in:where:)") { () throws(StorageError) in
            try tx.records(in: .part(0, of: 1), where: { (_, _) throws(StorageError) in true }, fields: .all) {
                (_) throws(StorageError) in true
            }
        }
        call("revisionBody") { () throws(StorageError) in _ = try tx.revisionBody(at: 1) { (_) throws(StorageError) in }
        }
        call("revisionBodies") { () throws(StorageError) in
            try tx.revisionBodies(after: 1) { (_, _, _) throws(StorageError) in true }
        }
        call("hiddenEntries") { () throws(StorageError) in
            try tx.hiddenEntries(sequences: 1...2) { (_, _) throws(StorageError) in true }
        }
        call("localDocument") { () throws(StorageError) in
            _ = try tx.localDocument(DocumentID("_local/d")) { (_, _) throws(StorageError) in }
        }
        call("localDocuments") { () throws(StorageError) in
            try tx.localDocuments(after: DocumentID("_local/d")) { (_, _, _) throws(StorageError) in true }
        }
        call("expiration") { () throws(StorageError) in _ = try tx.expiration(of: DocumentID("d")) }
        call("expirations") { () throws(StorageError) in
            try tx.expirations(through: 1) { (_, _) throws(StorageError) in true }
        }
        call("info") { () throws(StorageError) in _ = try tx.info("i") }
        call("allInfo") { () throws(StorageError) in _ = try tx.allInfo() }
    }

    private func readIndexes(_ tx: any ReadTransaction) {
        call("indexNames") { () throws(StorageError) in _ = try tx.indexNames() }
        call("indexState") { () throws(StorageError) in _ = try tx.indexState("x") }
        call("indexRows") { () throws(StorageError) in
            try tx.indexRows("x", in: .all, descending: false) { (_) throws(StorageError) in true }
        }
        call("hasDroppedIndexes") { () throws(StorageError) in _ = try tx.hasDroppedIndexes() }
        call("indexedSequence") { () throws(StorageError) in _ = try tx.indexedSequence("x", DocumentID("d")) }
        call("indexDocuments") { () throws(StorageError) in
            try tx.indexDocuments("x", after: nil) { (_) throws(StorageError) in true }
        }
        call("indexEntry") { () throws(StorageError) in
            _ = try unsafe tx.indexEntry("x", key: bytes("k").span.bytes) { (_) throws(StorageError) in }
        }
        call("indexEntries") { () throws(StorageError) in
            try tx.indexEntries("x", in: .all, descending: false) { (_, _) throws(StorageError) in true }
        }
    }

    func write(_ tx: any WriteTransaction) {
        writeIndexes(tx)
        call("insert") { () throws(StorageError) in try tx.insert(try draft("d", 1)) }
        call("update") { () throws(StorageError) in try tx.update(try draft("d", 2)) }
        call("putRevisionBody") { () throws(StorageError) in
            try unsafe tx.putRevisionBody(bytes("{}").span.bytes, at: 1, owner: DocumentID("d"))
        }
        call("removeRevisionBody") { () throws(StorageError) in try tx.removeRevisionBody(at: 1) }
        call("setExpiration") { () throws(StorageError) in try tx.setExpiration(1, of: DocumentID("d")) }
        call("purge") { () throws(StorageError) in try tx.purge(DocumentID("d"), sequence: 3) }
        call("apply") { () throws(StorageError) in _ = try tx.apply([.insert(try draft("e", 4))]) }
        call("raiseLastSequence") { () throws(StorageError) in try tx.raiseLastSequence(to: 9) }
        call("hide") { () throws(StorageError) in try tx.hide(DocumentID("d"), at: 5) }
        let counters = StoreCounters(liveDocuments: 1, lastSequence: 9, changeCounter: 9)
        call("restore") { () throws(StorageError) in try tx.restore(counters) }
        call("trimHiddenEntries") { () throws(StorageError) in try tx.trimHiddenEntries(through: 1) }
        call("putLocalDocument") { () throws(StorageError) in
            let (revision, json) = (bytes("1-a"), bytes("{}"))
            let id = DocumentID("_local/d")
            try unsafe tx.putLocalDocument(id, revision: revision.span.bytes, json: json.span.bytes)
        }
        call("removeLocalDocument") { () throws(StorageError) in try tx.removeLocalDocument(DocumentID("_local/d")) }
        call("setInfo") { () throws(StorageError) in try tx.setInfo([1], for: "i") }
        let reference = BlobReference(digest: [UInt8](repeating: 1, count: 20), storageName: "n", length: 1, count: 1)
        call("setBlobReference") { () throws(StorageError) in try tx.setBlobReference(reference) }
        call("removeBlobReference") { () throws(StorageError) in try tx.removeBlobReference(reference.digest) }
    }

    private func draft(_ id: String, _ sequence: UInt64) throws(StorageError) -> RecordDraft {
        RecordDraft(
            documentID: try DocumentID(id),
            flags: [],
            sequence: sequence,
            winner: try RevisionID("1-cd809becc169215072fd567eebd8b8de"),
            tree: [UInt8](repeating: 7, count: 25),
            body: .replace(bytes("{}"))
        )
    }

    private func writeIndexes(_ tx: any WriteTransaction) {
        call("setIndexState") { () throws(StorageError) in
            try tx.setIndexState("x", IndexState(version: "1", collationVersion: "1"))
        }
        call("replaceIndexRows") { () throws(StorageError) in
            var batch = IndexBatch()
            batch.begin(DocumentID("d"), sequence: 1)
            var changes = RowChanges(recordsPositions: false)
            try tx.replaceIndexRows("x", by: [batch], areNew: false, changes: &changes)
        }
        call("fillIndex") { () throws(StorageError) in
            try tx.fillIndex("x", from: IndexLoad([]), rows: 0..<0, documents: 0..<0)
        }
        call("putIndexEntries") { () throws(StorageError) in try tx.putIndexEntry("x", key: [1], value: [1]) }
        call("removeIndexEntries") { () throws(StorageError) in try tx.removeIndexEntries("x", in: .all) }
        call("removeIndexEntries(for:)") { () throws(StorageError) in
            _ = try tx.removeIndexEntries("x", in: .all, for: .seconds(1))
        }
        call("removeAllIndexEntries") { () throws(StorageError) in try tx.removeAllIndexEntries("x") }
        call("dropIndex") { () throws(StorageError) in try tx.dropIndex("x") }
        call("reclaimDroppedIndexes") { () throws(StorageError) in
            _ = try tx.reclaimDroppedIndexes(for: .seconds(1))
        }
    }
}
