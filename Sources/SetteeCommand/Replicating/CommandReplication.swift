#if Sync
internal import Settee
internal import SetteeListener
internal import SetteeReplicator
internal import StorageProtocol

/// A replication that a client of `settee serve` has ordered.
final class CommandReplication: ListenerReplication {
    private struct State {
        var isStopped = false
        var work: Task<Void, any Error>?
        /// In the checkpoint: before the run, and behind it.
        var logs: (before: JSONObject?, after: JSONObject?)
    }

    private let replicator: Replicator
    private let direction: ReplicatedDocument.Direction
    private let tally = ReplicateTally()
    private let state = Locked(State())

    init(_ configuration: ReplicatorConfiguration) {
        replicator = Replicator(configuration)
        direction = configuration.direction == .pull ? .pull : .push
    }

    func run() async throws {
        let before = await replicator.checkpointLog(direction)
        state.withLock { $0.logs.before = before }
        let listener = replicator.addDocumentListener { [tally] in tally.add($0) }
        let work = state.withLock { [replicator] state in
            let work = Task { try await replicator.run() }
            if state.isStopped { work.cancel() }
            state.work = work
            return work
        }
        let outcome = await withTaskCancellationHandler {
            await work.result
        } onCancel: {
            work.cancel()
        }
        withExtendedLifetime(listener) {}
        let after = await replicator.checkpointLog(direction)
        state.withLock { $0.logs.after = after }
        do {
            try outcome.get()
        } catch let error as ReplicationError {
            throw StorageError(error)
        } catch is CancellationError {
            // It was told to stop.
        }
    }

    func stop() async {
        let work = state.withLock { state in
            state.isStopped = true
            return state.work
        }
        work?.cancel()
    }

    var figures: ReplicationFigures {
        let logs = state.withLock { $0.logs }
        let start = logs.before?["source_last_seq"] ?? 0
        var figures = ReplicationFigures(startSequence: start, lastSequence: logs.after?["source_last_seq"] ?? start)
        figures.sessionID = (logs.after ?? logs.before)?["session_id"]?.stringValue
        let progress = replicator.status.progress
        figures.revisionsChecked = Int(clamping: progress.completed)
        figures.pendingChanges = Int(clamping: max(progress.total, progress.completed) - progress.completed)
        (figures.documentsWritten, figures.documentFailures) = tally.totals
        figures.documentsRead = figures.documentsWritten + figures.documentFailures
        figures.missingRevisions = figures.documentsRead
        if let entry = newEntry(logs) {
            func count(_ name: String) -> Int { Int(clamping: entry[name]?.intValue ?? 0) }
            figures.startSequence = entry["start_last_seq"] ?? start
            figures.revisionsChecked = count("missing_checked")
            figures.missingRevisions = count("missing_found")
            figures.documentsRead = count("docs_read")
            figures.documentsWritten = count("docs_written")
            figures.documentFailures = count("doc_write_failures")
        }
        return figures
    }

    /// What the run has written into the log; nil if that is nothing.
    private func newEntry(_ logs: (before: JSONObject?, after: JSONObject?)) -> JSONObject? {
        guard let after = logs.after, after["session_id"] != logs.before?["session_id"] else { return nil }
        return after["history"]?.arrayValue?.first?.objectValue
    }
}
#endif
