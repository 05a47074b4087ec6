internal import SetteeDocumentValues
internal import SetteeEngine
internal import StorageProtocol

extension Transfer {
    /// Between two answers of a source that does not wait.
    private static let shortestWait = Duration.milliseconds(100)
    private static let longestWait = Duration.seconds(10)
    private static let longestWaitForRows = Duration.seconds(1)

    /// Asks the source for changes.
    ///
    /// - Parameter end: the source's sequence at the beginning; nil: it goes on with changes to come. What was there at
    ///   the beginning and has changed since is behind it. So it goes on to the sequence of when it is reached, and
    ///   again while that is at most half as far each time.
    func feed(from start: JSONValue?, through end: JSONValue?) async throws {
        var since = start
        var end = end
        var distance: Int64?
        var waits = false
        var idleAnswers = 0
        while true {
            let longestWait = waits ? plan.limits.longestWait : nil
            let query = ChangesQuery(
                since: since,
                limit: state.withLock { $0.sizes.feed.current },
                wait: longestWait,
                filter: plan.feedFilter
            )
            if waits { beginWaiting() }
            let began = ContinuousClock.now
            let page = try await repeating { try await source.changes(query) }
            if !waits {
                let time = ContinuousClock.now - began
                state.withLock { $0.sizes.feed.succeeded(page.rows.count, in: time) }
            }
            log(
                .debug,
                in: .changeTracker,
                "\(page.rows.count) changes \(since.loggedSequence)\(page.isAtEnd ? ", none follows" : "")"
            )
            // Nothing else is asked of a side behind HTTP while a push is idle, and of a pull the next changes only.
            let belief = plan.limits.longestWait * (source is LocalPeer ? 2 : 1)
            try await repeating { try await compareSides(after: waits && page.rows.isEmpty ? belief : nil) }
            try await rows.send(add(page))
            if end != nil, page.isAtEnd { return }
            if let reached = end, page.reaches(reached) {
                let next = try await repeating { try await source.information() }.lastSequence
                let nextDistance = (next.sequenceNumber ?? .max) &- (reached.sequenceNumber ?? 0)
                if page.reaches(next) { return }
                if let distance, nextDistance > distance / 2 { return }
                (end, distance) = (next, nextDistance)
            }
            if page.lastSequence == since, !waits, !page.isAtEnd, !page.rows.isEmpty {
                throw PeerError.badAnswer("a list of changes that begins again and again")
            }
            let isIdle = page.rows.isEmpty && (waits || !page.isAtEnd) && !(source is LocalPeer)
            if isIdle, ContinuousClock.now - began < Transfer.shortestWait {
                // Where the sequence goes on, others may write what a filter leaves out.
                let longest = page.lastSequence == since ? Transfer.longestWait : Transfer.longestWaitForRows
                try await Task.sleep(for: min(Transfer.shortestWait * (1 << min(idleAnswers, 10)), longest))
                idleAnswers += 1
            } else {
                idleAnswers = 0
            }
            // One that has nothing and does not go on has no more, whatever it says.
            waits = page.isAtEnd || page.rows.isEmpty && page.lastSequence == since
            if end != nil, waits { return }
            since = page.lastSequence
        }
    }

    /// Takes documents that failed as rows.
    func feed(_ failed: [FailedDocuments.Failure]) async throws {
        if let source = source as? LocalPeer, source.filter.needsBody { return try await feed(failed, from: source) }
        let documents = failed.map { failure in
            ChangedDocument(
                sequence: .null,
                id: failure.event.documentID,
                leaves: failure.leaves,
                isDeleted: failure.event.flags.contains(.deleted)
            )
        }
        try await rows.send(add(ChangesPage(rows: documents, lastSequence: .null, isAtEnd: true)))
    }

    /// Lets the filter of a database here judge them once more.
    private func feed(_ failed: [FailedDocuments.Failure], from source: LocalPeer) async throws {
        let ids = FeedFilter.documentIDs(failed.map(\.event.documentID))
        var since: JSONValue?
        while true {
            let page = try await source.changes(ChangesQuery(since: since, limit: plan.limits.feedRows, filter: ids))
            try await rows.send(add(page))
            if page.isAtEnd { return }
            since = page.lastSequence
        }
    }

    /// Notes the rows of a page that are to be passed on.
    private func add(_ page: ChangesPage) -> [FeedRow] {
        let wanted =
            plan.documentIDs.map { ids in
                page.rows.filter { ids.contains(DocumentID(unchecked: $0.id)) }
            } ?? page.rows
        let found = state.withLock { state in
            if !wanted.isEmpty { state.isWaiting = false }
            let rows = wanted.map { FeedRow(number: state.prefix.add($0.sequence), document: $0) }
            state.prefix.addEnd(page.lastSequence)
            state.note(page.lastSequence, ofSide: 0)
            return rows
        }
        if !found.isEmpty { monitor.found(found.count, plan.direction) }
        return found
    }

    private func beginWaiting() {
        let isIdle = state.withLock { state in
            state.isWaiting = true
            return state.prefix.openRows == 0
        }
        if isIdle { becomeIdle() }
    }
}

extension ChangesPage {
    /// Whether it has the change at a sequence, or one behind it.
    fileprivate func reaches(_ end: JSONValue) -> Bool {
        if let last = lastSequence.intValue, let end = end.intValue { return last >= end }
        return lastSequence == end || rows.contains { $0.sequence == end }
    }
}
