internal import StorageProtocol

extension Transfer {
    /// Writes revisions to the target, as long as they come.
    func writeRevisions() async throws {
        while true {
            let size = state.withLock { $0.sizes.write.current }
            let some = try await arrived.receive(upTo: size, weight: plan.limits.writeBytes, \.bytes)
            guard !some.isEmpty else { return }
            try await work(some, \.write) { batch in
                try await self.write(&batch)
            } refuse: { revision, error in
                self.finish(revision, .failed(ReplicationError(error)))
            }
            tellProgress()
        }
    }

    private func write(_ batch: inout [ArrivedRevision]) async throws {
        let outcomes = try await target.insert(batch.map(\.revision), from: source)
        guard outcomes.count == batch.count else {
            throw PeerError(.badAnswer, "The answer about written revisions has not one entry for each.")
        }
        var rest: [ArrivedRevision] = []
        var added: [ArrivedRevision] = []
        var failure: PeerError?
        for (revision, outcome) in zip(batch, outcomes) {
            switch outcome {
            case .added: added.append(revision)
            case .known: finish(revision, .done)
            case .refused(let error) where error.kind == .transient:
                rest.append(revision)
                failure = error
            case .refused(let error): finish(revision, .failed(ReplicationError(error)))
            }
        }
        batch = rest
        if let conflicts, !added.isEmpty {
            await conflicts.resolve(added.map(\.revision)) { self.monitor.documents.tell($0) }
        }
        for revision in added { finish(revision, .written) }
        if let failure { throw failure }
    }

    private func finish(_ revision: ArrivedRevision, _ end: RevisionEnd) {
        budget.giveBack(revision.bytes)
        settle(revision.number, end)
    }
}
