internal import StorageProtocol

/// What became of a revision.
enum RevisionEnd {
    /// There was nothing to do.
    case done
    case written
    case failed(ReplicationError)
}

extension Transfer {
    /// A revision of a row is done. The row is, with its last one.
    func settle(_ number: Int, _ end: RevisionEnd) {
        let (row, isIdle, isDue) = state.withLock { state -> (OpenRow?, Bool, Bool) in
            switch end {
            case .done: break
            case .written:
                state.figures.written += 1
                state.open[number]?.isWritten = true
            case .failed(let error):
                state.figures.failures += 1
                if state.figures.firstFailure == nil { state.figures.firstFailure = error }
                state.open[number]?.error = error
            }
            guard state.prefix.settle(number) else { return (nil, false, false) }
            state.completed += 1
            let row = state.open.removeValue(forKey: number)
            // Before a checkpoint can go past it.
            if let row { keepFailure(of: row) }
            let (isIdle, isDue) = state.whatIsDue(plan.limits)
            return (row, isIdle, isDue)
        }
        guard let row else { return }
        tell(row)
        if isIdle { becomeIdle() } else if isDue { nudges.offer(true) }
    }

    /// A row is done of which nothing is passed on.
    func settle(_ row: FeedRow, _ end: RevisionEnd) {
        state.withLock { $0.open[row.number] = OpenRow(document: row.document) }
        settle(row.number, end)
    }

    /// Rows are done of which the target lacks nothing.
    func settle(known rows: [FeedRow]) {
        guard !rows.isEmpty else { return }
        let (isIdle, isDue) = state.withLock { state in
            // Before a checkpoint can go past them.
            failures.remove(rows.lazy.map(\.document.id), plan.direction, keeping: conflicts != nil)
            for row in rows where state.prefix.settle(row.number) { state.completed += 1 }
            return state.whatIsDue(plan.limits)
        }
        if isIdle { becomeIdle() } else if isDue { nudges.offer(true) }
    }

    private func keepFailure(of row: OpenRow) {
        if row.error == nil {
            failures.remove(CollectionOfOne(row.document.id), plan.direction)
        } else {
            failures.add(FailedDocuments.Failure(event: event(of: row), leaves: row.document.leaves))
        }
    }

    private func event(of row: OpenRow) -> ReplicatedDocument {
        var event = ReplicatedDocument(documentID: row.document.id, direction: plan.direction, error: row.error)
        if row.document.isDeleted { event.flags.insert(.deleted) }
        if row.document.isRemoved { event.flags.insert(.accessRemoved) }
        return event
    }

    private func tell(_ row: OpenRow) {
        if let error = row.error { logRefusal(of: row.document.id, error) }
        guard row.error != nil || row.isWritten || row.document.isRemoved else { return }
        monitor.documents.tell(event(of: row))
    }

    /// Tells how many rows are done.
    func tellProgress() {
        let completed = state.withLock { state in
            defer { state.completed = 0 }
            return state.completed
        }
        monitor.completed(completed)
    }

    func becomeIdle() {
        tellProgress()
        monitor.becameIdle(plan.direction)
        nudges.offer(true)
    }
}

extension Transfer.State {
    /// What follows once rows are done: whether the direction has become idle, and whether a checkpoint is due.
    fileprivate func whatIsDue(_ limits: ReplicationLimits) -> (isIdle: Bool, checkpoint: Bool) {
        let isIdle = isWaiting && prefix.openRows == 0
        return (isIdle, ContinuousClock.now - lastCheckpoint > limits.checkpointInterval)
    }
}
