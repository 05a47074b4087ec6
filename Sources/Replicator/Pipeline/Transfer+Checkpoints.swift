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
        let (sequence, figures) = state.withLock { state -> (JSONValue?, TransferFigures) in
            state.lastCheckpoint = ContinuousClock.now
            return (state.prefix.sequence, state.figures)
        }
        try await kept.save(failures)
        guard let keeper, let sequence, await keeper.saved != sequence else { return }
        try await target.commit()
        try await compareSides(after: Transfer.longestBelief)
        try await keeper.save(sequence, figures)
        state.withLock { $0.isUnproven = true }
        log(.debug, "there is a checkpoint \(JSONValue?.some(sequence).loggedSequence)")
    }

    /// Compares the sides with what they were, if that was not done for a while, or one of them could not be reached
    /// since: a database that was put back from a backup gives out sequences anew, so that changes would be passed
    /// over.
    ///
    /// - Parameter belief: that while; nil: it does not matter.
    /// - Throws: `PeerChanged` if a side is another database than at the beginning, or is in an older state.
    func compareSides(after belief: Duration?) async throws {
        let breaks = source.breaks + target.breaks
        // A higher sequence may come while the sides are asked.
        let due = state.withLock { state -> (sequences: [Int64], readsCheckpoint: Bool)? in
            let isDoubtful = state.isDoubtful || breaks != state.breaks
            let isUnproven = state.isUnproven
            let now = ContinuousClock.now
            let isLongAgo = belief.map { now - state.lastComparison >= $0 } ?? false
            guard isDoubtful || isLongAgo else { return nil }
            state.lastComparison = now
            state.isDoubtful = false
            state.isUnproven = false
            state.breaks = breaks
            return (state.sequences, isDoubtful || isUnproven)
        }
        guard let due else { return }
        do {
            let sides = try await [source.information(), target.information()]
            let isSame = state.withLock { state in
                for (place, side) in sides.enumerated() { state.note(side.lastSequence, ofSide: place) }
                return sides.map(\.identity) == state.identities
            }
            guard isSame else { throw PeerChanged() }
            let older = zip(sides, due.sequences).filter { side, highest in
                side.lastSequence.sequenceNumber.map { $0 < highest } ?? false
            }.map(\.0)
            guard due.readsCheckpoint || !older.isEmpty else { return }
            // The number in a text may be lower for other reasons. The checkpoint tells, if there is one.
            let isKnown = try await keeper?.check() ?? false
            if !isKnown, older.contains(where: { $0.lastSequence.intValue != nil }) { throw PeerChanged() }
        } catch {
            state.withLock { $0.isDoubtful = true }
            throw error
        }
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
