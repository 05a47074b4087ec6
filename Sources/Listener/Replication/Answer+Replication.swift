internal import HTTPTypes
internal import SetteeCouchProtocol
internal import SetteeDocumentValues
internal import StorageProtocol

extension Answer {
    /// `{"ok":true,"_local_id":...}`: what runs from now on, or does not any more.
    static func replicationID(_ status: HTTPResponse.Status, _ id: String) -> Answer {
        .json(status) { $0.value(["ok": true, "_local_id": .string(id)]) }
    }

    /// The log of a replication that has ended, as CouchDB writes it, with this session only.
    ///
    /// - Parameter began: In seconds since 1970.
    static func replicationLog(_ figures: ReplicationFigures, began: Int64) -> Answer {
        let session = JSONValue.string(figures.sessionID ?? RandomIdentifier.text())
        let entry: JSONObject = [
            "session_id": session,
            "start_time": .string(AnswerDate.format(Int(began))),
            "end_time": .string(AnswerDate.format(Int(WallClock.seconds))),
            "start_last_seq": figures.startSequence,
            "end_last_seq": figures.lastSequence,
            "recorded_seq": figures.lastSequence,
            "missing_checked": JSONValue(figures.revisionsChecked),
            "missing_found": JSONValue(figures.missingRevisions),
            "docs_read": JSONValue(figures.documentsRead),
            "docs_written": JSONValue(figures.documentsWritten),
            "doc_write_failures": JSONValue(figures.documentFailures),
        ]
        var log: JSONObject = [
            "ok": true, "session_id": session, "source_last_seq": figures.lastSequence, "replication_id_version": 4,
            "history": [.object(entry)],
        ]
        if figures.startSequence == figures.lastSequence { log["no_changes"] = true }
        return .json { $0.value(.object(log)) }
    }
}

extension JSONObject {
    /// Adds the members that rows of `_active_tasks` have for replications.
    mutating func add(_ figures: ReplicationFigures) {
        self["checkpointed_source_seq"] = figures.lastSequence
        self["revisions_checked"] = JSONValue(figures.revisionsChecked)
        self["missing_revisions_found"] = JSONValue(figures.missingRevisions)
        self["docs_read"] = JSONValue(figures.documentsRead)
        self["docs_written"] = JSONValue(figures.documentsWritten)
        self["doc_write_failures"] = JSONValue(figures.documentFailures)
        self["changes_pending"] = figures.pendingChanges.map { JSONValue($0) } ?? .null
    }
}

extension CouchError {
    /// 404: no such replication runs.
    static var noReplication: CouchError { CouchError(404, "not_found", "No such replication runs.") }

    /// 500: somebody has cancelled the replication. What is passed on stays.
    static var replicationCancelled: CouchError {
        CouchError(500, "replication_failed", "The replication was cancelled.")
    }

    /// A replication that ended before its time: what the other server refused, or why it cannot go on.
    init(replication failure: StorageError) {
        self =
            switch failure.code {
            case .notFound: CouchError(404, "db_not_found", failure.message)
            case .unauthorized: .unauthorized(failure.message)
            case .rejected: .forbidden(failure.message)
            case .badParameter, .badRequest: .badRequest(failure.message)
            // The app's replicator takes no such orders, or this build lacks what they need.
            case .notImplemented: .notImplemented(failure.message)
            case .cancelled, .notOpen: .unavailable
            default: CouchError(500, "replication_failed", failure.message)
            }
    }
}
