internal import SetteeDocumentValues
internal import SetteeTransfer
internal import StorageProtocol

/// Copies everything in an old database into a new one.
final class ImportRun {
    private let source: OldDatabase
    private let builder: DatabaseBuilder
    private let bodies: BodyReader
    private var report = CouchbaseLiteReport()
    private var lastSequence: UInt64 = 0
    /// Ranges of rowids of revisions that cannot be read.
    private var lost: [ClosedRange<Int64>] = []
    /// Whether there are signs that revisions were lost.
    private var isDamaged = false

    init(_ source: OldDatabase, _ builder: DatabaseBuilder) {
        self.source = source
        self.builder = builder
        bodies = BodyReader(source, builder)
    }

    /// How many documents are done between two calls of `progress`.
    private static let step = 100

    func run(_ progress: CouchbaseLiteImport.Progress) throws(StorageError) -> CouchbaseLiteReport {
        report.wasEncrypted = source.isEncrypted
        for problem in source.problems { note(nil, nil, problem) }
        let list = try RevisionList(source.connection)
        lastSequence = list.highest
        for problem in list.problems { note(nil, nil, problem) }
        if let last = try sequenceCounter(), let sequence = RevisionList.sequence(last) {
            lastSequence = max(lastSequence, sequence)
        }
        let total = list.documentCount
        var done = 0
        let nameless = SortedPairs(in: source.connection.folder)
        var hasNameless = false
        lost = list.lost
        isDamaged = !list.problems.isEmpty
        try list.forEachDocument { (document, sequences) throws(StorageError) in
            if try !add(document, sequences) {
                try nameless.add(document)
                hasNameless = true
            }
            done += 1
            if done % ImportRun.step == 0 || done == total { try progress(done, total) }
        }
        // These come last, so that they do not take the names of others.
        if hasNameless {
            var rest = nameless.sorted()
            var next = try rest.next()
            try list.forEachDocument { (document, sequences) throws(StorageError) in
                guard document == next?.first else { return }
                next = try rest.next()
                try add(sequences, name: "recovered-\(document)", expiry: nil, isRecovered: true)
            }
        }
        try noteDocumentsWithoutRevisions(list)
        try SmallThings(source, builder).run(&report)
        try builder.raiseLastSequence(to: lastSequence)
        report.attachments = builder.contentCount
        guard report.documents + report.localDocuments > 0 || report.isComplete else {
            throw StorageError(
                .corrupt,
                "Nothing of the old database can be read: \(report.problems.first?.reason ?? "it is damaged"). Nothing "
                    + "was made."
            )
        }
        return report
    }

    /// Returns the last sequence that was assigned, even if its revision no longer exists.
    private func sequenceCounter() throws(StorageError) -> Int64? {
        var last: Int64?
        do throws(StorageError) {
            try source.connection.rows("SELECT seq FROM sqlite_sequence WHERE name = 'revs'") {
                (row) throws(StorageError) in
                last = row.integer(0)
                return false
            }
        } catch {
            guard error.isDamage else { throw error }
        }
        return last
    }

    // MARK: - Documents

    /// Imports a document by its number.
    ///
    /// - Returns: false if its ID cannot be read.
    private func add(_ document: Int64, _ sequences: [Int64]) throws(StorageError) -> Bool {
        let name: (id: String?, expiry: Int64?)
        do throws(StorageError) {
            name = try OldName.of(document, source)
        } catch {
            guard error.isDamage else { throw error }
            return false
        }
        guard let text = name.id else { return false }
        try add(sequences, name: text, expiry: name.expiry, isRecovered: false)
        return true
    }

    private func add(
        _ sequences: [Int64],
        name text: String,
        expiry: Int64?,
        isRecovered: Bool
    ) throws(StorageError) {
        guard let id = try? DocumentID(text), !id.isLocal else { return fail(text, "Settee does not allow its ID") }
        guard sequences.count <= RevisionTree.maximumCount else {
            return fail(text, "it has more than \(RevisionTree.maximumCount) revisions")
        }
        let found = try revisions(sequences, of: text)
        let tree = try OldTree(found) { (rowid) throws(StorageError) in
            if lost.contains(where: { $0.contains(rowid) }) { return true }
            return try isThere(rowid)
        }
        for problem in tree.problems { note(text, problem.revision, problem.reason) }
        if tree.lacksRevisions { isDamaged = true }
        guard !tree.revisions.isEmpty else { return fail(text, "none of its revisions can be read") }
        let built = BuiltDocument(
            id: id,
            revisions: parts(of: tree, text),
            expiration: expiration(expiry, of: text)
        )
        do throws(StorageError) {
            try add(built, tree, text)
            if isRecovered { note(text, nil, "its own ID cannot be read; it has this one now") }
        } catch {
            guard [.exists, .badRequest, .badParameter].contains(error.code) else { throw error }
            fail(text, error.code == .exists ? "there are two documents of this ID; the first is kept" : error.message)
        }
    }

    /// Returns whether such a revision exists. It then belongs to another document.
    private func isThere(_ rowid: Int64) throws(StorageError) -> Bool {
        var isThere = false
        do throws(StorageError) {
            try source.connection.rows("SELECT 1 FROM revs NOT INDEXED WHERE rowid = ?1", rowid) {
                (_) throws(StorageError) in
                isThere = true
                return false
            }
        } catch {
            guard error.isDamage else { throw error }
            return true
        }
        return isThere
    }

    private func revisions(
        _ sequences: [Int64],
        of document: String
    ) throws(StorageError) -> [OldRevision] {
        var revisions: [OldRevision] = []
        for sequence in sequences {
            do throws(StorageError) {
                revisions.append(try OldRevision(source.connection, rowid: sequence))
            } catch {
                if error.code == .badRequest {
                    note(
                        document,
                        nil,
                        "the ID of revision number \(sequence) is none that Settee can hold; it was left out"
                    )
                } else {
                    guard error.isDamage else { throw error }
                    isDamaged = true
                    note(document, nil, "revision number \(sequence) cannot be read")
                }
            }
        }
        return revisions
    }

    private func parts(of tree: OldTree, _ document: String) -> [RevisionTree.Part] {
        tree.revisions.map { revision, parent in
            var sequence = RevisionList.sequence(revision.rowid)
            if sequence == nil {
                lastSequence += 1
                sequence = lastSequence
                note(document, revision.id.string, "its sequence \(revision.rowid) is out of range; it has a new one")
            }
            return RevisionTree.Part(
                id: revision.id,
                parent: parent,
                isDeleted: revision.isDeleted,
                hasBody: false,
                sequence: sequence ?? 0
            )
        }
    }

    private func add(_ built: BuiltDocument, _ tree: OldTree, _ document: String) throws(StorageError) {
        var isLeaf = [Bool](repeating: true, count: tree.revisions.count)
        for (_, parent) in tree.revisions {
            if let parent { isLeaf[parent] = false }
        }
        var seen: Set<Int> = []
        var kept = 0
        var found: [(revision: String?, reason: String)] = []
        try builder.add(built) { (place) throws(StorageError) in
            let revision = tree.revisions[place].revision
            guard revision.hasBody || isLeaf[place] else { return nil }
            let isFirst = seen.insert(place).inserted
            if isFirst { kept += 1 }
            return try bodies.body(of: revision) { reason in
                if isFirst { found.append((revision.id.string, reason)) }
            }
        }
        for problem in found { note(document, problem.revision, problem.reason) }
        report.documents += 1
        report.revisions += built.revisions.count
        report.bodies += kept
    }

    /// Returns the time in milliseconds. Couchbase Lite stores whole seconds, and 0 for none.
    private func expiration(_ seconds: Int64?, of document: String) -> Int64? {
        guard let seconds, seconds != 0 else { return nil }
        let (time, overflow) = seconds.multipliedReportingOverflow(by: 1000)
        guard !overflow, time.magnitude <= 1 << 53 else {
            note(document, nil, "its time of expiry is out of range; it does not expire")
            return nil
        }
        return time
    }

    // MARK: - Problems

    private func note(_ document: String?, _ revision: String?, _ reason: String) {
        report.add(CouchbaseLiteProblem(document: document, revision: revision, reason: reason))
    }

    private func fail(_ document: String?, _ reason: String) {
        report.failed += 1
        note(document, nil, reason + "; it was left out")
    }

    private func name(of document: Int64) throws(StorageError) -> String? {
        do throws(StorageError) {
            return try OldName.of(document, source).id
        } catch {
            guard error.isDamage else { throw error }
            return nil
        }
    }

    /// In an intact database, documents without revisions are purged ones. In a damaged one their revisions may be
    /// lost.
    private func noteDocumentsWithoutRevisions(_ list: RevisionList) throws(StorageError) {
        var scan = TableScan(source.connection, table: "docs", columns: "docid")
        let documents = SortedPairs(in: source.connection.folder)
        try scan.run { (rowid, _) throws(StorageError) in
            if isDamaged { try documents.add(rowid) }
        }
        for problem in scan.problems { note(nil, nil, problem) }
        try list.forEach(of: documents) { (document) throws(StorageError) in
            fail(try name(of: document), "none of its revisions can be read")
        }
    }
}
