internal import StorageProtocol

extension Transfer {
    /// Asks the target what it lacks, as long as rows come.
    func diffRows() async throws {
        while true {
            let some = try await rows.receive(upTo: state.withLock { $0.sizes.diff.current })
            guard !some.isEmpty else { return }
            for row in some {
                if let error = row.document.refusal {
                    settle(row, .failed(ReplicationError(error)))
                } else if row.document.isRemoved {
                    settle(row, .done)
                }
            }
            let present = some.filter { !$0.document.isRemoved && $0.document.refusal == nil }
            try await work(present, \.diff) { batch in
                try await self.diff(&batch)
            } refuse: { row, error in
                self.settle(row, .failed(ReplicationError(error)))
            }
            tellProgress()
        }
    }

    private func diff(_ batch: inout [FeedRow]) async throws {
        let offered = batch.map { OfferedDocument(id: $0.document.id, revisions: $0.document.leaves) }
        let answers = try await target.missing(offered)
        guard answers.count == batch.count else {
            throw PeerError(.badAnswer, "The answer about missing revisions has not one entry for each document.")
        }
        var items: [FetchItem] = []
        var lacking: [FeedRow] = []
        var known: [FeedRow] = []
        known.reserveCapacity(batch.count)
        for (row, answer) in zip(batch, answers) {
            guard let answer, !answer.missing.isEmpty else {
                known.append(row)
                continue
            }
            lacking.append(row)
            let wish = RevisionWish(
                documentID: row.document.id,
                revisions: answer.missing,
                knownAncestors: answer.possibleAncestors
            )
            items.append(FetchItem(number: row.number, wish: wish))
        }
        batch = []
        state.withLock { state in
            state.figures.checked += offered.reduce(0) { $0 + $1.revisions.count }
            for (row, item) in zip(lacking, items) {
                state.open[row.number] = OpenRow(document: row.document)
                state.figures.lacking += item.wish.revisions.count
                state.prefix.extend(item.number, by: item.wish.revisions.count - 1)
            }
        }
        settle(known: known)
        try await wishes.send(items)
    }
}
