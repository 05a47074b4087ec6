internal import Foundation
internal import SetteeEngine
internal import StorageProtocol

/// Restores an export into an empty database, in one transaction.
struct DatabaseRestorer {
    private let session: WriteSession
    private let file: ExportFile
    private let index: ExportIndex
    private let reader: ExportReader
    private let documents: DocumentRestorer
    private var summary = ImportSummary()
    private var transaction: any WriteTransaction { get throws(StorageError) { try session.transaction } }

    init(_ session: WriteSession, _ file: ExportFile, _ index: ExportIndex) throws(StorageError) {
        self.session = session
        self.file = file
        self.index = index
        reader = ExportReader(file)
        documents = DocumentRestorer(session, reader, index, ExportedBlobs(file, index))
    }

    /// Whether there are neither documents nor local documents.
    static func isEmpty(_ transaction: any ReadTransaction) throws(StorageError) -> Bool {
        var isEmpty = true
        try transaction.orderedRecords(in: .all, descending: false, fields: .metadata) { (_) throws(StorageError) in
            isEmpty = false
            return false
        }
        guard isEmpty else { return false }
        try transaction.orderedLocalDocuments { (_, _, _) throws(StorageError) in
            isEmpty = false
            return false
        }
        return isEmpty
    }

    /// How many documents are restored between two calls of `progress`.
    private static let step = 1000

    mutating func run(
        progress: (_ documents: Int) throws(StorageError) -> Void
    ) throws(StorageError) -> ImportSummary {
        session.noteChange()
        // The indexes do not match the documents that are restored.
        try dropAllIndexes()
        try restoreValues()
        if index.isNumbered {
            try restoreInOrder(progress)
        } else {
            for place in index.documents {
                try documents.add(place)
                try count(progress)
            }
        }
        try file.checkUnchanged()
        summary.isRestored = true
        summary.digest = index.summary.digest
        return summary
    }

    /// Views and their definitions are kept.
    private func dropAllIndexes() throws(StorageError) {
        for name in try transaction.indexNames() { try session.dropIndex(name) }
        for (key, _) in try transaction.allInfo() where InfoKey.isOfIndexes(key) {
            try transaction.setInfo(nil, for: key)
        }
    }

    private mutating func count(_ progress: (Int) throws(StorageError) -> Void) throws(StorageError) {
        summary.documents += 1
        if summary.documents % DatabaseRestorer.step == 0 { try progress(summary.documents) }
    }

    // MARK: - Values

    private mutating func restoreValues() throws(StorageError) {
        reader.seek(to: index.values.lowerBound, end: index.values.upperBound)
        while try reader.advance() {
            switch try reader.line() {
            case .info(let key, let value): try transaction.setInfo(value, for: key)
            case .local(let id, let revision):
                try reader.require()
                try reader.body { (_, json) throws(StorageError) in
                    let stored = LocalRevision.stored(revision, json)
                    try unsafe transaction.putLocalDocument(id, revision: stored.span.bytes, json: json)
                }
                summary.localDocuments += 1
            default: throw reader.damaged("it is out of order")
            }
        }
        // The database keeps its own private UUID, because another database may have that of the export.
        if let uuid = index.identity[InfoKey.publicUUID] {
            try transaction.setInfo(uuid, for: InfoKey.publicUUID)
        }
        if let uuid = index.identity[InfoKey.privateUUID] {
            try transaction.setInfo(uuid, for: InfoKey.previousPrivateUUID)
        }
    }

    // MARK: - Documents in the order of their sequences

    /// Half of the sequences are reserved for what is written afterwards.
    private static let maximumSequence: UInt64 = 1 << 62

    private mutating func restoreInOrder(_ progress: (Int) throws(StorageError) -> Void) throws(StorageError) {
        let base = try session.lastSequence()
        let places = index.documents.sorted { $0.sequence < $1.sequence }
        let highest = places.last?.sequence ?? 0
        let last = max(index.lastSequence ?? highest, highest)
        guard base <= DatabaseRestorer.maximumSequence, last <= DatabaseRestorer.maximumSequence - base else {
            throw StorageError(.tooLarge, "The database has no room for the export's sequences. Import into a new one.")
        }
        for place in places {
            try documents.add(place) { document in
                document.revisions.map { $0.sequence == 0 ? 0 : base + $0.sequence }
            }
            try count(progress)
        }
        // The last sequence was taken by a purge.
        try session.raiseLastSequence(to: base + last)
    }
}
