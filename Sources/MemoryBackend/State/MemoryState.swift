internal import StorageProtocol

/// The whole content of a store as one value; a copy of it is a snapshot.
struct MemoryState: Sendable {
    var records = SortedMap<ByteKey, MemoryRecord>()
    var recordsBySequence = SortedMap<UInt64, MemoryRecord>()
    var revisionBodies = SortedMap<UInt64, RevisionBody>()
    var hiddenEntries = SortedMap<UInt64, DocumentID>()
    var localDocuments = SortedMap<ByteKey, LocalDocument>()
    var expirations = SortedMap<ByteKey, Int64>()
    var expirationsByTime = SortedMap<ExpirationKey, DocumentID>()
    var info = SortedMap<ByteKey, [UInt8]>()
    var indexes = SortedMap<ByteKey, MemoryIndex>()
    /// The indexes that were dropped and still take up space.
    var droppedIndexes: [MemoryIndex] = []
    var blobReferences = SortedMap<ByteKey, BlobReference>()

    var liveDocuments: UInt64 = 0
    var lastSequence: UInt64 = 0
    var changeCounter: UInt64 = 0

    var counters: StoreCounters {
        StoreCounters(liveDocuments: liveDocuments, lastSequence: lastSequence, changeCounter: changeCounter)
    }
}

extension SortedMap<ByteKey, MemoryRecord> {
    /// Not one of `MemoryState`, which would be copied for the call, with a count for each of its maps.
    func record(_ id: DocumentID) -> MemoryRecord? {
        id.withBytes { wanted in
            value { unsafe compareBytes($0.bytes.span.bytes, wanted) }
        }
    }
}

/// A record. It never changes, so both orders and all snapshots share it.
final class MemoryRecord: Sendable {
    let documentID: DocumentID
    let id: [UInt8]
    let flags: DocumentFlags
    let sequence: UInt64
    let winner: RevisionID
    let tree: [UInt8]
    let body: [UInt8]

    init(id: [UInt8], _ draft: borrowing RecordDraft, body: [UInt8]) {
        self.documentID = draft.documentID
        self.id = id
        self.flags = draft.flags
        self.sequence = draft.sequence
        self.winner = draft.winner
        self.tree = draft.tree
        self.body = body
    }
}

/// The body of a revision other than the winner.
struct RevisionBody: Sendable {
    let owner: DocumentID
    let json: [UInt8]
}

struct LocalDocument: Sendable {
    let id: DocumentID
    let revision: [UInt8]
    let json: [UInt8]
}

struct MemoryIndex: Sendable {
    var name: String
    var state: IndexState
    var rows = SortedMap<RowKey, IndexRow>()
    var documents = SortedMap<ByteKey, IndexedDocument>()
    var entries = SortedMap<ByteKey, [UInt8]>()
}

/// What an index stores about one document.
struct IndexedDocument: Sendable {
    var sequence: UInt64
    /// The sort keys of its rows.
    var keys: [[UInt8]]
}
