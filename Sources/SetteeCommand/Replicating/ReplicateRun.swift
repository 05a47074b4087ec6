#if Sync
internal import ArgumentParser
internal import Dispatch
internal import Settee
internal import SetteeReplicator
internal import StorageProtocol

/// A run of `settee replicate`, with what it prints.
final class ReplicateRun {
    private let configuration: ReplicatorConfiguration
    private let (source, target): (String, String)
    private let asJSON: Bool
    private let printer: Printer
    private var progress = ProgressLine(total: nil)
    private var lastActivity: ReplicatorStatus.Activity?
    private var lastProgress: ReplicatorStatus.Progress?

    private let tally = ReplicateTally()

    init(_ configuration: ReplicatorConfiguration, from source: String, to target: String, asJSON: Bool) {
        self.configuration = configuration
        (self.source, self.target) = (source, target)
        self.asJSON = asJSON
        printer = Printer(asJSON: asJSON)
    }

    /// Returns when it has ended and its checkpoint is stored.
    ///
    /// - Parameter retries: Whether it first tries the documents again that earlier runs could not pass on.
    /// - Throws: Why it could not go on; the exit status if documents were refused, or if a signal has ended it before
    ///   its end.
    func run(retryingFailed retries: Bool) throws {
        let replicator = Replicator(configuration)
        let listener = replicator.addDocumentListener { [tally] in tally.add($0) }
        let ended = DispatchSemaphore(value: 0)
        let failure = Locked<(any Error)?>(nil)
        let work = Task {
            do {
                if retries { try await replicator.retryFailed() }
                try await replicator.run()
            } catch let error as ReplicationError where error.code == .allRefused {
                // The tally has them.
            } catch {
                failure.withLock { $0 = error }
            }
            ended.signal()
        }
        let signal = Locked<Int32?>(nil)
        let interrupts = Interrupts { number in
            signal.withLock { $0 = number }
            work.cancel()
        }
        defer { interrupts.restore() }
        while ended.wait(timeout: .now() + .milliseconds(250)) == .timedOut {
            do {
                try show(replicator.status)
            } catch {
                work.cancel()
                ended.wait()
                if printer.readerIsGone { throw ReaderGone() }
                throw error
            }
            if asJSON, Terminal.readerOfOutputIsGone { work.cancel() }
        }
        withExtendedLifetime(listener) {}
        try end(failure.withLock { $0 }, signal.withLock { $0 })
    }

    /// Prints what is new.
    private func show(_ status: ReplicatorStatus) throws {
        reportRefused()
        if status.activity != lastActivity, status.activity == .offline, let error = status.error {
            progress.clear()
            Failure.note("Offline: \(error.message) It tries again.", asJSON: asJSON)
        }
        if asJSON, status.activity != lastActivity || status.progress != lastProgress {
            try printer.output.append(
                JSONLine().string("activity", status.activity.rawValue).number("completed", status.progress.completed)
                    .number("total", status.progress.total).bytes
            )
            try printer.flush()
        }
        (lastActivity, lastProgress) = (status.activity, status.progress)
        progress.show(
            "\(status.activity.rawValue): \(status.progress.completed) of \(status.progress.total) changes",
            done: 0
        )
    }

    private func reportRefused() {
        let refused = tally.takeRefused()
        if !refused.isEmpty { progress.clear() }
        for document in refused {
            guard let error = document.error else { continue }
            // An ID of the other side may be as long as it likes.
            let id = document.documentID
            let shown = id.utf8.count > 500 ? id.prefix(200) + "..." : id[...]
            Failure.report(StorageError(error, "Document '\(shown)': "), asJSON: asJSON)
        }
    }

    private func end(_ failure: (any Error)?, _ signal: Int32?) throws {
        progress.clear()
        reportRefused()
        let (passed, failed) = tally.totals
        if failed > ReplicateTally.most {
            Failure.note("\(failed - ReplicateTally.most) more documents were refused.", asJSON: asJSON)
        }
        if let failure, signal == nil {
            if let failure = failure as? ReplicationError { throw StorageError(failure) }
            if failure is CancellationError { throw ReaderGone() }
            throw failure
        }
        let documents = passed == 1 ? "1 document" : "\(passed) documents"
        try printer.line(
            "Replicated \(documents)\(failed == 0 ? "" : ", \(failed) refused").",
            json: JSONLine().string("source", source).string("target", target).number("documents", passed)
                .number("failed", failed).bool("interrupted", signal != nil)
        )
        try printer.flush()
        if configuration.isContinuous { return }
        if let signal {
            let message = "Interrupted. What was passed on stays, and the next run goes on from there."
            Failure.report(StorageError(.cancelled, message), asJSON: asJSON)
            throw ExitCode(128 + signal)
        }
        if failed > 0 { throw ExitCode(1) }
    }
}
#endif
