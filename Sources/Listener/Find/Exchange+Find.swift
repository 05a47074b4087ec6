internal import HTTPTypes
internal import SetteeCouchProtocol
internal import SetteeIndexes
internal import SetteeQueries
internal import StorageProtocol

/// POST of `_find` and `_explain`.
extension Exchange {
    func find(in served: ServedDatabase) async throws -> Answer {
        let began = ContinuousClock.now
        let json = try await jsonObject()
        // Nothing is compiled and no row is read for a client that has gone.
        let cancellation = Cancellation()
        body.watch(body.makeWatcher()) { cancellation.cancel() }
        let request = try FindRequest(json, cancellation)
        let search = try await search(request, in: served, cancellation)
        let members = AttachmentMembers(database: served.database, usesStoredDigests: usesStoredDigests)
        let listing = try FindListing(search, members, cancellation, since: began)
        let calls: RowCalls = search.isLong ? .long(core.searches) : .threads(core.threads)
        // The first rows are read before the head is sent, so that what goes wrong with them has a status.
        let (begun, first) = try await calls.next(of: listing)
        let body = Answer.Body.stream(length: nil) { sink in
            var (listing, text) = (begun, first)
            while true {
                try await sink.write(text.take())
                if listing.isOver { return }
                (listing, text) = try await calls.next(of: listing)
            }
        }
        return Answer(status: .ok, headers: [.contentType: "application/json"], body: body)
    }

    /// Finds out how the rows are found, and brings the indexes up to date that are read.
    private func search(
        _ request: FindRequest,
        in served: ServedDatabase,
        _ cancellation: Cancellation
    ) async throws -> FindSearch {
        let search = try await blocking { try FindSearch(request, of: served.database, mayUpdate: true, cancellation) }
        if search.outdated.isEmpty { return search }
        try await core.builds.calls.run { [tasks = core.tasks] in
            let task = tasks.begin(ActiveTasks.indexer, on: served.name)
            defer { tasks.end(task) }
            try search.cursor.update(search.outdated, cancellation)
        }
        return try await blocking { try FindSearch(request, of: served.database, mayUpdate: false, cancellation) }
    }
}

extension RowCalls {
    fileprivate func next(of listing: FindListing) async throws -> (FindListing, JSONAnswerText) {
        try await run {
            var (listing, text) = (listing, JSONAnswerText())
            try listing.appendRows(to: &text)
            return (listing, text)
        }
    }
}
