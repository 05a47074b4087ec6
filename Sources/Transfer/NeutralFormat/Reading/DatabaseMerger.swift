internal import Foundation
internal import SetteeDocumentValues
internal import SetteeEngine
internal import StorageProtocol

/// Adds the content of an export to a database that has documents, in transactions of several documents.
struct DatabaseMerger {
    private static let batchCount = 1000
    private static let batchLength: UInt64 = 8 << 20

    private let database: Database
    private let file: ExportFile
    private let index: ExportIndex
    private let reader: ExportReader
    private let blobs: ExportedBlobs

    init(_ database: Database, _ file: ExportFile, _ index: ExportIndex) throws(StorageError) {
        self.database = database
        self.file = file
        self.index = index
        reader = ExportReader(file)
        blobs = ExportedBlobs(file, index)
    }

    func run(
        progress: (_ documents: Int) throws -> Void,
        failure: (_ id: String, StorageError) throws -> Void
    ) throws -> ImportSummary {
        var summary = ImportSummary()
        summary.digest = index.summary.digest
        summary.localDocuments = try mergeLocalDocuments()
        var next = 0
        while next < index.documents.count {
            let range = batch(from: next)
            var refused: [(String, StorageError)] = []
            var done = 0
            var unchanged = 0
            try database.withWriteSession { session in
                for place in index.documents[range] {
                    var id: DocumentID?
                    do throws(StorageError) {
                        let isNews = try session.attempt { () throws(StorageError) in
                            try merge(place, session, &id)
                        }
                        if isNews { done += 1 } else { unchanged += 1 }
                    } catch {
                        guard let id, !error.code.isStorageFailure, session.doom == nil else { throw error }
                        refused.append((id.string, error))
                    }
                }
            }
            next = range.upperBound
            summary.documents += done
            summary.unchanged += unchanged
            summary.failed += refused.count
            for (id, error) in refused { try failure(id, error) }
            try progress(next)
        }
        try blobs.mend(in: database)
        try file.checkUnchanged()
        return summary
    }

    private func batch(from first: Int) -> Range<Int> {
        var end = first
        var length: UInt64 = 0
        while end < index.documents.count, end - first < DatabaseMerger.batchCount, length < DatabaseMerger.batchLength
        {
            length += index.documents[end].length
            end += 1
        }
        return first..<end
    }

    private func mergeLocalDocuments() throws(StorageError) -> Int {
        try database.change { (session) throws(StorageError) in
            var added = 0
            reader.seek(to: index.values.lowerBound, end: index.values.upperBound)
            while try reader.advance() {
                guard case .local(let id, let revision) = try reader.line() else { continue }
                try reader.require()
                guard try database.localRevision(of: id, in: session.transaction) == nil else { continue }
                session.noteChange()
                try reader.body { (_, json) throws(StorageError) in
                    let stored = LocalRevision.stored(revision, json)
                    try unsafe session.transaction.putLocalDocument(id, revision: stored.span.bytes, json: json)
                }
                added += 1
            }
            return added
        }
    }

    /// - Returns: Whether the document had anything new.
    private func merge(
        _ place: ExportIndex.Document,
        _ session: WriteSession,
        _ id: inout DocumentID?
    ) throws(StorageError) -> Bool {
        let restorer = DocumentRestorer(session, reader, index, blobs)
        let document = try restorer.header(at: place)
        id = document.id
        guard let before = try DocumentWriter(session).stored(document.id) else {
            try restorer.add(place)
            return true
        }
        let missing = document.revisions.indices.filter { index in
            document.revisions[index].hasBody && before.index(of: document.revisions[index].id) == nil
        }
        return try missing.isEmpty ? false : insert(missing, of: place, session)
    }

    /// Inserts the missing revisions, ancestors first, as replication would.
    private func insert(
        _ missing: [Int],
        of place: ExportIndex.Document,
        _ session: WriteSession
    ) throws(StorageError) -> Bool {
        var document = try DocumentRestorer(session, reader, index, blobs).header(at: place)
        var bodies: [Int: UInt64] = [:]
        try reader.document(&document) { (index, _, _) throws(StorageError) in bodies[index] = reader.lines.offset }
        let revisions = document.revisions
        guard missing.allSatisfy(revisions.indices.contains) else {
            throw reader.damaged("there are other revisions now")
        }
        var isNews = false
        for index in missing.sorted(by: { revisions[$0].id.generation < revisions[$1].id.generation }) {
            guard let offset = bodies[index] else { continue }
            reader.seek(to: offset, end: place.offset + place.length)
            try reader.require()
            let body = try reader.body { (checked, json) throws(StorageError) in
                _ = try blobs.uses(checked.attachments, session)
                var body = try DocumentBody(parsing: json)
                body.isDeleted = revisions[index].isDeleted
                return body
            }
            let history = ExportedDocument.history(of: index, in: revisions)
            if try DocumentWriter(session).insert(document.id, history: history, body) { isNews = true }
        }
        return isNews
    }
}
