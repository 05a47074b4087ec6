internal import SetteeDocumentValues
internal import StorageProtocol

/// What a write transaction records. Nothing, where it changes nothing that a trace tells of.
final class TransactionTrace {
    let trace: DatabaseTrace
    /// When the caller wanted it.
    private let wanted: UInt64
    /// When it had its turn, and the store's transaction.
    private let ready: UInt64
    private var hasBegun = false
    /// When the present operation began.
    private var mark: UInt64
    /// Of the revision from elsewhere that was to be added last.
    private var history: History?

    private struct History {
        var revision: RevisionID
        var length: Int
        /// How many of its ancestors the document did not have.
        var gap: Int
        /// The first one that it had.
        var known: RevisionID?
    }

    init(_ trace: DatabaseTrace, wanted: UInt64) {
        self.trace = trace
        self.wanted = wanted
        ready = trace.now
        mark = ready
    }

    /// An operation begins.
    func begin() { mark = trace.now }

    private func record(_ operation: StaticString, _ details: (inout TraceLine, TraceRecorder) -> Void) {
        if !hasBegun {
            hasBegun = true
            trace.record("begin", began: wanted, took: ready - wanted)
        }
        trace.record(operation, began: mark, details)
        mark = trace.now
    }

    /// - Parameter began: when committing began.
    func committed(began: UInt64) { if hasBegun { trace.record("commit", began: began) } }

    func rolledBack() {
        if hasBegun { trace.record("rollback", began: trace.now) }
        hasBegun = false
    }

    // MARK: - Documents

    /// Notes the history of a revision from elsewhere before it is stored.
    func note(_ history: [RevisionID], isKnown: (RevisionID) -> Bool) {
        guard let own = history.first else { return }
        let ancestors = history.dropFirst()
        let place = ancestors.firstIndex(where: isKnown)
        self.history = History(
            revision: own,
            length: history.count,
            gap: (place ?? ancestors.endIndex) - 1,
            known: place.map { ancestors[$0] }
        )
    }

    func saved(_ incoming: IncomingRevision) {
        if case .local = incoming.origin {
            return record("put") { line, recorder in
                TransactionTrace.add(incoming, on: incoming.parentID, to: &line, recorder)
            }
        }
        // One that was refused has left its own.
        let known = history.take().flatMap { $0.revision == incoming.revisionID ? $0 : nil }
        record("insert") { line, recorder in
            TransactionTrace.add(incoming, on: known?.known, to: &line, recorder)
            line.number("history", known?.length ?? 1)
            if let known, known.gap > 0 { line.number("gap", known.gap) }
        }
    }

    private static func add(
        _ incoming: IncomingRevision,
        on parent: RevisionID?,
        to line: inout TraceLine,
        _ recorder: TraceRecorder
    ) {
        let id = incoming.documentID
        line.text("id", recorder.hash(id))
        line.text("rev", recorder.hash(incoming.revisionID, of: id))
        line.number("gen", incoming.revisionID.generation)
        if let parent { line.text("on", recorder.hash(parent, of: id)) }
        line.number("size", incoming.json.count)
        line.flag("deleted", incoming.isDeleted)
        guard !incoming.attachments.isEmpty else { return }
        let uses = incoming.attachments.prefix(mostAttachments)
        line.texts("contents", uses.map { recorder.hash(.content, $0.digest) })
        line.numbers("lengths", uses.map(\.length))
    }

    /// At most so many attachments of a revision are told of.
    private static let mostAttachments = 1000

    func purged(_ id: DocumentID) {
        record("purge") { line, recorder in line.text("id", recorder.hash(id)) }
    }

    func purged(_ leaves: [RevisionID], of id: DocumentID) {
        record("prune") { line, recorder in
            line.text("id", recorder.hash(id))
            line.texts("revs", leaves.prefix(1000).map { recorder.hash($0, of: id) })
        }
    }

    /// - Parameter size: nil where the document was removed.
    func savedLocal(_ id: DocumentID, size: Int?) {
        record(size == nil ? "removeLocal" : "putLocal") { line, recorder in
            line.text("id", recorder.hash(id))
            if let size { line.number("size", size) }
        }
    }

    /// - Parameter time: in milliseconds since 1970.
    func expires(_ id: DocumentID, at time: Int64?) {
        record("expire") { line, recorder in
            line.text("id", recorder.hash(id))
            if let time {
                let (after, overflow) = time.subtractingReportingOverflow(recorder.beginningDate)
                line.number("after", overflow ? Int64.max : after)
            }
        }
    }
}
