internal import SetteeEngine
internal import SetteeIndexes
internal import StorageProtocol

/// The result of a query of a view or of all documents, as something to be shown live.
struct LiveQuerySource: LiveSource {
    let query: DatabaseQuery

    func observe() -> ChangeObservation {
        var isOfView = false
        if case .view = query.source { isOfView = true }
        return query.database.observeChanges(limit: 1, wantsViewChanges: isOfView)
    }

    /// - Returns: the current result, without running the query if the known one still holds; nil if the index of
    ///   another version cannot be reduced and the current version's index is being built.
    func look(
        _ known: LiveLook<LiveQuerySource>?,
        _ changes: LiveChanges,
        _ context: LiveContext
    ) throws -> LiveLook<LiveQuerySource>? {
        let present = try QueryMark(query)
        let mark = try LiveQueryMark(query, context.cancellation)
        if let mark, let known, mark == known.mark, !known.value.dependsOnDocuments {
            if mark.isBehind { updateBeside(mark.name, context) }
            return LiveLook(known.value.refreshed(present), mark)
        }
        guard let mark, mark.isBehind else {
            return LiveLook(try query.run(context.cancellation, leavesUpdate: false), mark)
        }
        // The update begins only after the query has read what is there now.
        defer { updateBeside(mark.name, context) }
        do {
            return LiveLook(try query.run(context.cancellation, leavesUpdate: false), mark)
        } catch let error as StorageError where error.code == .badRequest {
            return nil
        }
    }

    private func updateBeside(_ name: IndexName, _ context: LiveContext) {
        let updater = IndexUpdater(query.database, [name], cancellation: context.cancellation)
        context.update { () throws(StorageError) in try updater.run() }
    }
}

extension LiveQuerySource {
    /// The mark of the view's rows; nil: unknown.
    typealias Mark = LiveQueryMark?
    typealias Value = QueryResult
}
