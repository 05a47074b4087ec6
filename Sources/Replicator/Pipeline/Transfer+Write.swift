internal import SetteeDocumentValues
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
        var lost: [(ArrivedRevision, PeerError)] = []
        for (revision, outcome) in zip(batch, outcomes) {
            switch outcome {
            case .added: added.append(revision)
            case .known: finish(revision, .done)
            case .refused(let error) where error.kind == .transient:
                rest.append(revision)
                failure = error
            case .refused(let error) where error.kind == .missingAttachment: lost.append((revision, error))
            case .refused(let error): finish(revision, .failed(ReplicationError(error)))
            }
        }
        batch = rest
        for (revision, error) in lost {
            finish(revision, await isGone(revision.revision) ? .done : .failed(ReplicationError(error)))
        }
        var unresolved: [DocumentID: ReplicationError] = [:]
        if let conflicts, !added.isEmpty {
            unresolved = await conflicts.resolve(added.map(\.revision)) { self.monitor.documents.tell($0) }
        }
        for revision in added {
            let id = unresolved.isEmpty ? nil : try? DocumentID(revision.revision.documentID)
            finish(revision, id.flatMap { unresolved[$0] }.map { .failed($0) } ?? .written)
        }
        if let failure { throw failure }
    }

    /// Whether the source does not have a revision any more: it was superseded, and its contents with it.
    private func isGone(_ revision: TransferredRevision) async -> Bool {
        let wish = RevisionWish(
            documentID: revision.documentID,
            revisions: [revision.history[0]],
            knownAncestors: []
        )
        let isGone = Locked(false)
        try? await source.revisions([wish]) { _, answer in
            if case .missing(_, nil) = answer { isGone.withLock { $0 = true } }
        }
        return isGone.withLock { $0 }
    }

    private func finish(_ revision: ArrivedRevision, _ end: RevisionEnd) {
        budget.giveBack(revision.bytes)
        settle(revision.number, end)
    }
}
