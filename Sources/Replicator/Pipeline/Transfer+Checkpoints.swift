internal import SetteeDocumentValues
internal import SetteeEngine
internal import StorageProtocol

extension Transfer {
    /// So long it is believed that the sides are the same databases as before.
    private static let longestBelief = Duration.seconds(60)

    /// Writes checkpoints when they are due. One that cannot be written is left to the next.
    func writeCheckpoints() async throws {
        while try await !nudges.receive(upTo: 1).isEmpty {
            do {
                try await writeCheckpoint()
            } catch let error as PeerError where error.kind != .unauthorized {
                log(.notice, "a checkpoint was not written (\(error.logged))")
            }
        }
    }

    /// Writes a checkpoint behind everything that is done, and before it the list of what failed: the next run does not
    /// come by there.
    func writeCheckpoint() async throws {
        let (sequence, figures, compares) = state.withLock { state -> (JSONValue?, TransferFigures, Bool) in
            let now = ContinuousClock.now
            state.lastCheckpoint = now
            let compares = state.comparesSides || now - state.lastComparison > Transfer.longestBelief
            if compares { state.lastComparison = now }
            state.comparesSides = false
            return (state.prefix.sequence, state.figures, compares)
        }
        try await kept.save(failures)
        guard let keeper, let sequence, await keeper.saved != sequence else { return }
        try await target.commit()
        if compares { try await compareSides() }
        try await keeper.save(sequence, figures)
        log(.debug, "there is a checkpoint \(JSONValue?.some(sequence).loggedSequence)")
    }

    /// - Throws: `PeerChanged` if a side is another database than at the beginning.
    private func compareSides() async throws {
        let identities = [try await source.information().identity, try await target.information().identity]
        guard identities == state.withLock({ $0.identities }) else { throw PeerChanged() }
    }

    /// Writes the last checkpoint of a run, also of one that was cancelled or failed. It takes bounded time.
    ///
    /// - Returns: why it could not be written; nil if it was.
    func lastCheckpoint() async -> (any Error)? {
        // A task of its own is not cancelled with the run.
        let task = Task { try await writeCheckpoint() }
        let longest = plan.limits.lastCheckpoint
        let timer = Task {
            try await Task.sleep(for: longest)
            task.cancel()
        }
        defer { timer.cancel() }
        if case .failure(let error) = await task.result { return error }
        return nil
    }
}
