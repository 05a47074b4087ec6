extension ReplicatorConfiguration {
    /// Checks that a direction is told in one way which documents it passes on, as CouchDB does: together they would
    /// mean something else at each server. `PullOptions.filter` judges what has come, and goes with each of them.
    ///
    /// - Throws: `ReplicationError` with `badConfiguration`.
    func checkChoice(_ direction: ReplicatedDocument.Direction) throws(ReplicationError) {
        var ways: [String] = []
        if documentIDs != nil { ways.append("document IDs") }
        if selector != nil { ways.append("a selector") }
        switch direction {
        case .push:
            if push.filter != nil { ways.append("a push filter") }
        case .pull:
            if !pull.channels.isEmpty { ways.append("channels") }
            if pull.remoteFilter != nil { ways.append("a filter of the other side") }
        }
        guard ways.count > 1 else { return }
        let given = ways.joined(separator: ", ")
        throw ReplicationError(.badConfiguration, "A \(direction.rawValue) has \(given): give one of them.")
    }
}
