internal import SetteeDocumentValues
internal import StorageProtocol

/// Compares everything in a store with everything that must agree with it, on one snapshot.
struct DatabaseChecker {
    private let database: Database
    private let transaction: any ReadTransaction
    private let blobs: BlobCheck
    private(set) var problems: [StorageProblem] = []
    private var parser = ReusableParser()

    // The findings of the walk by ID, for comparison with the other walks. Their size does not depend on the number of
    // documents.
    private var live: UInt64 = 0
    private var documents: UInt64 = 0
    private var highest: UInt64 = 0
    private var fingerprint: UInt64 = 0
    private var keptBodies: UInt64 = 0
    /// Whether that walk reached its end. Otherwise nothing can be compared with it.
    private var isComplete = false
    /// Those of the document that is being checked.
    private var kept = KeptAttachments()
    private var references: [[UInt8]: (count: UInt64, lengths: AttachmentLengths)] = [:]

    /// Problems beyond this many are only counted, because a damaged database would fill the memory.
    private static let maximumProblems = 1000
    private var unlisted = 0

    init(_ database: Database, _ transaction: any ReadTransaction, _ blobs: BlobCheck) {
        self.database = database
        self.transaction = transaction
        self.blobs = blobs
    }

    mutating func run() throws(StorageError) {
        for part in Part.allCases {
            do throws(StorageError) {
                try check(part)
            } catch {
                // Damage in one part says nothing about the others.
                guard error.code == .corrupt else { throw error }
                report(part.rawValue, error.message)
            }
        }
        if unlisted > 0 {
            problems.append(StorageProblem(area: "check", message: "\(unlisted) more problems are not listed"))
        }
    }

    /// What is checked on its own, in this order.
    private enum Part: String, CaseIterable {
        case records = "data"
        case sequences = "sequence index"
        case keptBodies = "body"
        case counters = "count"
        case hiddenEntries = "sequence"
        case localDocuments = "local document"
        case expirations = "expiration"
        case references = "reference"
        case indexes = "index"
    }

    private mutating func check(_ part: Part) throws(StorageError) {
        switch part {
        case .records: try checkRecords()
        case .sequences: try checkSequences()
        case .keptBodies: try checkKeptBodies()
        case .counters: try checkCounters(transaction.counters())
        case .hiddenEntries: try checkHiddenEntries(transaction.counters())
        case .localDocuments: try checkLocalDocuments()
        case .expirations: try checkExpirations()
        case .references: try checkReferences()
        case .indexes: try database.store.indexKeeper.check(database, transaction) { report("index", $0) }
        }
    }

    private mutating func report(_ area: String, _ message: String) {
        if problems.count < DatabaseChecker.maximumProblems {
            problems.append(StorageProblem(area: area, message: message))
        } else {
            unlisted += 1
        }
    }

    // MARK: - Records

    private mutating func checkRecords() throws(StorageError) {
        var previous: DocumentID?
        var isInOrder = true
        try transaction.records(in: .all, descending: false, fields: .all) { (record) throws(StorageError) in
            documents &+= 1
            highest = max(highest, record.sequence)
            fingerprint &+= DatabaseChecker.fingerprint(of: record)
            if !record.flags.contains(.deleted) { live &+= 1 }
            guard let id = try? record.documentID() else {
                report("id", "the record with sequence \(record.sequence) has an ID that is not UTF-8")
                return true
            }
            if let previous, !(previous < id) {
                // From here on the same documents may come again without end.
                report("order", "document '\(id)' is out of order")
                isInOrder = false
                return false
            }
            previous = id
            try checkRecord(record, id)
            return true
        }
        isComplete = isInOrder
    }

    private mutating func checkRecord(_ record: borrowing RecordView, _ id: DocumentID) throws(StorageError) {
        if (try? DocumentID(id.string)) == nil || id.isLocal {
            report("id", "the record with sequence \(record.sequence) has an ID that is not allowed")
        }
        guard
            let tree = try? record.withTree({ (bytes) throws(StorageError) in try RevisionTree(stored: bytes) })
        else {
            report("tree", "the revision tree of document '\(id)' cannot be decoded")
            return
        }
        guard let winner = tree.winner else {
            report("tree", "the revision tree of document '\(id)' is empty")
            return
        }
        let named = try? record.winnerID()
        if named != winner.id { report("winner", "the record of document '\(id)' does not name the tree's winner") }
        if record.flags != tree.documentFlags {
            report("flags", "the flags of document '\(id)' do not agree with its revision tree")
        }
        let newest = tree.nodes.map(\.sequence).max() ?? 0
        if newest != record.sequence {
            report("sequence", "document '\(id)' has sequence \(record.sequence), but its newest revision \(newest)")
        }
        if Set(tree.nodes.lazy.map(\.sequence).filter { $0 != 0 }).count
            != tree.nodes.count(where: { $0.sequence != 0 })
        {
            report("sequence", "two revisions of document '\(id)' have the same sequence")
        }
        kept = KeptAttachments()
        record.withBody { body in checkBody(body, of: id, winner) }
        try checkOtherBodies(tree, winner, id)
        for problem in kept.problems(of: id, tree) { report("attachment", problem) }
    }

    private mutating func checkOtherBodies(
        _ tree: RevisionTree,
        _ winner: RevisionTree.Node,
        _ id: DocumentID
    ) throws(StorageError) {
        for (index, node) in tree.nodes.enumerated() where node.sequence != 0 && node.id != winner.id {
            let found = try transaction.revisionBody(at: node.sequence) { (body) throws(StorageError) in
                checkBody(body, of: id, node)
            }
            if found {
                keptBodies &+= 1
            } else if tree.isLeaf(index) {
                report("body", "the body of revision \(node.id.string) of document '\(id)' is missing")
            }
        }
    }

    private mutating func checkBody(_ body: RawSpan, of id: DocumentID, _ node: RevisionTree.Node) {
        let before = problems.count
        switch parser.state(of: body) {
        case .notJSON:
            report("body", "the body of revision \(node.id.string) of document '\(id)' is not a JSON object")
        case .notCanonical:
            report("body", "the body of revision \(node.id.string) of document '\(id)' is not canonical JSON")
        case .badAttachment:
            report("body", "an attachment of revision \(node.id.string) of document '\(id)' is malformed")
        case .good(let attachments):
            if attachments.isEmpty == node.hasAttachments {
                report("flags", "revision \(node.id.string) of document '\(id)' disagrees with its body on attachments")
            }
            for attachment in attachments { count(attachment, of: id) }
            kept.add(attachments, of: node.id)
        }
        // Its other problems were already reported.
        guard problems.count == before, let checksum = node.bodyChecksum else { return }
        if checksum != RevisionChecksum.ofBody(body, id: node.id, isDeleted: node.isDeleted) {
            report("body", "revision \(node.id.string) of document '\(id)' has not the body or ID it was stored with")
        }
    }

    private mutating func count(_ attachment: AttachmentStub, of id: DocumentID) {
        let lengths = AttachmentLengths(attachment)
        var known = references[attachment.digest] ?? (0, lengths)
        known.count += 1
        if !known.lengths.merge(lengths) {
            report("attachment", "an attachment of document '\(id)' has another length than one with the same content")
        }
        references[attachment.digest] = known
    }

    // MARK: - What must agree with the records

    private mutating func checkSequences() throws(StorageError) {
        var count: UInt64 = 0
        var sum: UInt64 = 0
        let everything: ClosedRange<UInt64> = 0...UInt64(Int64.max)
        try transaction.orderedRecords(sequences: everything, descending: false, fields: .metadata) {
            (record) throws(StorageError) in
            count &+= 1
            sum &+= DatabaseChecker.fingerprint(of: record)
            return true
        }
        if isComplete, count != documents || sum != fingerprint {
            report("sequence index", "the documents by sequence (\(count)) are not those by ID (\(documents))")
        }
    }

    private mutating func checkKeptBodies() throws(StorageError) {
        var rows: UInt64 = 0
        try transaction.orderedRevisionBodies { (_, _, _) throws(StorageError) in
            rows &+= 1
            return true
        }
        if isComplete, rows != keptBodies {
            report("body", "\(rows) bodies of older revisions are stored, but the revision trees name \(keptBodies)")
        }
    }

    private mutating func checkCounters(_ counters: StoreCounters) throws(StorageError) {
        if isComplete, counters.liveDocuments != live {
            report("count", "the document count is \(counters.liveDocuments), but \(live) documents are live")
        }
        if counters.lastSequence < highest {
            report("count", "the last sequence is \(counters.lastSequence), but sequence \(highest) is used")
        }
    }

    private mutating func checkHiddenEntries(_ counters: StoreCounters) throws(StorageError) {
        try transaction.orderedHiddenEntries(sequences: 0...UInt64(Int64.max)) { (sequence, _) throws(StorageError) in
            if sequence == 0 || sequence > counters.lastSequence {
                report("sequence", "a purge is noted at sequence \(sequence), which is out of range")
            }
            return true
        }
    }

    private mutating func checkLocalDocuments() throws(StorageError) {
        try transaction.orderedLocalDocuments { (id, revision, json) throws(StorageError) in
            if !id.isLocal { report("local document", "'\(id)' is not a local document's ID") }
            if !LocalRevision.isIntact(revision, json) {
                report("local document", "'\(id)' has another body or revision than it was stored with")
            }
            if case .notJSON = parser.state(of: json) {
                report("local document", "the body of '\(id)' is not a JSON object")
            }
            return true
        }
    }

    private mutating func checkExpirations() throws(StorageError) {
        var previous = Int64.min
        var count: UInt64 = 0
        try transaction.expirations(through: Int64.max) { (time, id) throws(StorageError) in
            count &+= 1
            // No document has two. If there are more than documents, the store is damaged, and they may come without
            // end.
            guard time >= previous, !isComplete || count <= documents else {
                report("expiration", "the expirations are out of order")
                return false
            }
            previous = time
            let known = try transaction.record(id, fields: .metadata) { (_) throws(StorageError) in }
            if !known { report("expiration", "document '\(id)' has an expiration but does not exist") }
            return true
        }
    }

    private mutating func checkReferences() throws(StorageError) {
        try transaction.orderedBlobReferences { (reference) throws(StorageError) in
            let found = references.removeValue(forKey: reference.digest)
            let counted = found?.count ?? 0
            if isComplete, counted != reference.count {
                report(
                    "reference",
                    "blob \(reference.storageName) is referred to \(counted) times, but \(reference.count) are counted"
                )
            }
            if reference.count > 0, let fault = try blobs.fault(of: reference) {
                report("blob", "the attachment content \(reference.storageName) \(fault)")
            } else if let found, let fault = try blobs.fault(of: reference, found.lengths) {
                report("attachment", "the attachment content \(reference.storageName) \(fault)")
            }
            return true
        }
        if isComplete, !references.isEmpty {
            report("reference", "\(references.count) attachments refer to blobs that are not in the store")
        }
    }

    /// A number for the ID and sequence of a record, so that sums over two walks can be compared.
    private static func fingerprint(of record: borrowing RecordView) -> UInt64 {
        let sequence = record.sequence
        return record.withID { ByteHash.of($0, seed: sequence) }
    }
}
