internal import HTTPTypes
internal import SetteeCouchProtocol
internal import SetteeDesignDocuments
internal import SetteeDocumentValues
internal import SetteeEngine
internal import StorageProtocol

extension Exchange {
    /// POST of `_replicate`. Only administrators come here: whoever may order replications may have this server send
    /// requests to any other one.
    func replicate() async throws -> Answer {
        // The listener's module does not depend on the replicator's: the app connects the two, if it wants to.
        guard let replicator = core.replicator else {
            throw CouchError.notImplemented("This listener has no replicator.")
        }
        let members = try await jsonObject()
        if try ReplicationRequest.flag("cancel", members) { return try await cancelReplication(members) }
        let wanted = try ReplicationRequest(members)
        let source = try await side(wanted.source)
        let sourceFilter = try await sourceFilter(wanted)
        if wanted.createsTarget, case .database(let name) = wanted.target {
            try await make(name, for: wanted, by: replicator)
        }
        let target = try await side(wanted.target)
        let order = ReplicationOrder(
            source: source,
            target: target,
            isContinuous: wanted.isContinuous,
            createsTarget: wanted.createsTarget,
            filter: wanted.filter,
            sourceFilter: sourceFilter,
            parameters: wanted.parameters,
            documentIDs: wanted.documentIDs,
            selector: wanted.selector,
            targetValidation: try await targetValidation(wanted)
        )
        let task = task(order, id: wanted.id)
        while true {
            let (running, isNew) = try core.replications.begin(wanted.id, as: task) {
                try replicator.replication(order)
            }
            if wanted.isContinuous { return .replicationID(.accepted, wanted.id) }
            if isNew { return try await log(of: running) }
            // It may have begun before the last writes that this client knows of. A cancel ends it for all who wait.
            try? await running.wait()
            if running.isCancelled { return try await log(of: running) }
        }
    }

    private func log(of running: RunningReplications.Entry) async throws -> Answer {
        do {
            try await running.wait()
        } catch let error as StorageError {
            throw CouchError(replication: error)
        }
        guard !core.replications.isStopped else { throw CouchError.unavailable }
        guard !running.isCancelled else { throw CouchError.replicationCancelled }
        return .replicationLog(running.replication.figures, began: running.began)
    }

    private func cancelReplication(_ members: JSONObject) async throws -> Answer {
        let given = ["replication_id", "_local_id", "id"].lazy.compactMap { members[$0]?.stringValue }.first
        let id = try given ?? ReplicationRequest(members).id
        guard await core.replications.cancel(id) else { throw CouchError.noReplication }
        return .replicationID(.ok, id)
    }

    private func side(_ wanted: ReplicationSide) async throws -> ReplicationOrder.Side {
        switch wanted {
        case .database(let name): .database(try await database(name).database, name: name)
        case .remote(let remote): .remote(remote)
        }
    }

    /// As CouchDB does, whose replicator writes as the user.
    private func targetValidation(
        _ wanted: ReplicationRequest
    ) async throws -> (@Sendable () throws -> Validation?)? {
        guard case .database(let name) = wanted.target else { return nil }
        let served = try await database(name)
        return { [user = access.user] in try served.replicationValidation(of: user) }
    }

    /// The filter of a source that is here.
    private func sourceFilter(_ wanted: ReplicationRequest) async throws -> ReplicationOrder.SourceFilter? {
        guard let name = wanted.filter, case .database(let source) = wanted.source else { return nil }
        let served = try await database(source)
        return try await blocking {
            if let filter = served.database.filter(named: name) {
                return .init(version: filter.version, function: filter.function)
            }
            guard let (design, name) = ChangesFilter.parts(of: name) else { throw CouchError.noFilter }
            let (version, function) = try served.designs.revisionFilter(name, of: design)
            return .init(version: version, function: function)
        }
    }

    /// Makes the target, if there is none and the source can be read.
    private func make(
        _ name: String,
        for wanted: ReplicationRequest,
        by replicator: any ListenerReplicator
    ) async throws {
        guard try await blocking({ [core] in try !core.databases.names().contains(name) }) else { return }
        if case .remote(let source) = wanted.source {
            do {
                try await replicator.check(source)
            } catch let error as StorageError {
                // A continuous replication tries again until the server can be reached.
                guard wanted.isContinuous, error.code == .busy else { throw CouchError(replication: error) }
            }
        }
        do {
            try await blocking { [core] in try core.databases.create(name) }
        } catch let error as CouchError where error == .databaseExists {
            // Then it is used as it is.
        }
    }

    private func task(_ order: ReplicationOrder, id: String) -> ActiveTasks.Entry {
        var local = ""
        for side in [order.source, order.target] {
            if case .database(_, let name) = side { local = name }
        }
        let details: JSONObject = [
            "replication_id": .string(id), "continuous": .bool(order.isContinuous), "doc_id": .null,
            "source": .string(order.source.name), "target": .string(order.target.name),
            "user": access.user.name.map { .string($0) } ?? .null,
        ]
        return ActiveTasks.Entry(
            kind: ActiveTasks.replication,
            database: local,
            began: WallClock.seconds,
            details: { details }
        )
    }
}
