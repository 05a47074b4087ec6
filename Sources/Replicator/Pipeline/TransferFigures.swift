internal import SetteeDocumentValues

/// What a run has done, for the log of its checkpoints.
struct TransferFigures: Sendable {
    /// Revisions that the target was asked about, and those that it lacked.
    var checked = 0
    var lacking = 0
    /// Revisions that were read from the source.
    var read = 0
    /// Revisions that were written, and those that could not be.
    var written = 0
    var failures = 0
    /// Why the first of these could not be.
    var firstFailure: ReplicationError?

    func entry(from start: JSONValue?, began: String) -> JSONObject {
        [
            "doc_write_failures": JSONValue(failures), "docs_read": JSONValue(read),
            "docs_written": JSONValue(written), "end_time": .string(HTTPDate.now),
            "missing_checked": JSONValue(checked), "missing_found": JSONValue(lacking),
            "start_last_seq": start ?? 0, "start_time": .string(began),
        ]
    }
}
