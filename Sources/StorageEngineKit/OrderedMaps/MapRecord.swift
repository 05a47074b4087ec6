internal import StorageProtocol

/// A document's record, as stored in the map under `MapKey.record`.
struct MapRecord {
    var id: DocumentID
    var sequence: UInt64
    var flags: DocumentFlags
    var winner: [UInt8]
    var tree: [UInt8]
    var body: [UInt8]

    init(_ draft: borrowing RecordDraft, body: [UInt8]) {
        id = draft.documentID
        (sequence, flags, tree) = (draft.sequence, draft.flags, draft.tree)
        winner = Array(draft.winner.string.utf8)
        self.body = body
    }

    init(_ id: DocumentID, packed: [UInt8]) throws(StorageError) {
        self.id = id
        let parts = try ByteCoding.unpack(packed, count: 5)
        sequence = try ByteCoding.number(parts[0])
        flags = DocumentFlags(rawValue: UInt8(truncatingIfNeeded: try ByteCoding.number(parts[1])))
        (winner, tree, body) = (parts[2], parts[3], parts[4])
    }

    var packed: [UInt8] {
        ByteCoding.pack([ByteCoding.bytes(sequence), ByteCoding.bytes(UInt64(flags.rawValue)), winner, tree, body])
    }

    var isLive: Bool { !flags.contains(.deleted) }

    func hand<R>(_ body: (borrowing RecordView) throws(StorageError) -> R) throws(StorageError) -> R {
        let id = Array(id.string.utf8)
        return try RecordView.with(
            sequence: sequence,
            flags: flags,
            id: id,
            winner: winner,
            tree: tree,
            body: self.body,
            body
        )
    }
}
