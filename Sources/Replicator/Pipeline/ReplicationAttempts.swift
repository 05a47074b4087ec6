internal import SetteeEngine
internal import StorageProtocol

/// A run of a replicator, with its repetitions.
struct ReplicationAttempts: Sendable {
    private let configuration: ReplicatorConfiguration
    private let limits: ReplicationLimits
    private let monitor: ReplicationMonitor
    private let failures: FailedDocuments
    private let connect: @Sendable () throws -> any Peer
    private typealias NamedDirection = (direction: ReplicatedDocument.Direction, names: CheckpointNames)
    /// The number of times in a row that a run begins again because a side has changed.
    private static let mostChanges = 10

    init(
        _ configuration: ReplicatorConfiguration,
        _ limits: ReplicationLimits,
        _ monitor: ReplicationMonitor,
        _ failures: FailedDocuments,
        _ connect: @escaping @Sendable () throws -> any Peer
    ) {
        self.configuration = configuration
        self.limits = limits
        self.monitor = monitor
        self.failures = failures
        self.connect = connect
    }

    /// - Throws: `ReplicationError`, `CancellationError`.
    func run() async throws {
        monitor.reset()
        let conflicts = configuration.conflictResolver.map { ConflictHandler(configuration.database, $0) }
        var attempt = 0
        var changes = 0
        var offersEarlier = configuration.resolvesEarlierConflicts
        while true {
            let before = monitor.status.progress.completed
            do {
                try await passOn(conflicts, &offersEarlier)
                return monitor.set(.stopped)
            } catch is PeerChanged where changes < ReplicationAttempts.mostChanges {
                monitor.log(.notice, "a side is another database now, or an older one: the run begins again")
                if monitor.status.progress.completed > before { changes = 0 }
                changes += 1
                monitor.forgetOpen()
            } catch {
                monitor.forgetOpen()
                if monitor.status.progress.completed > before { attempt = 0 }
                try await pause(&attempt, error)
            }
        }
    }

    /// Waits before the next attempt, if there is to be one.
    private func pause(_ attempt: inout Int, _ error: any Error) async throws {
        if Task.isCancelled || error is CancellationError {
            monitor.set(.stopped)
            throw CancellationError()
        }
        let failure = ReplicationError(error)
        // Where the other side has answered before, it may do so again when what stands in its place is gone.
        let isHidden = (error as? PeerError)?.isNameless == true && monitor.wasOnline
        guard configuration.isContinuous, failure.isTransient || isHidden else {
            monitor.set(.stopped, error: failure)
            throw failure
        }
        let isOffline = failure.status == 0 || isHidden
        monitor.set(isOffline ? .offline : .idle, error: failure)
        let delay = Backoff.delay(
            attempt,
            first: limits.restartDelay,
            longest: configuration.longestRetryDelay,
            retryAfter: (error as? PeerError)?.retryAfter
        )
        attempt += 1
        monitor.log(.info, "tries again in \(delay.logged) (\(failure.logged))")
        do {
            if isOffline { try await waitForNetwork(delay) } else { try await Task.sleep(for: delay) }
        } catch {
            monitor.set(.stopped)
            throw error
        }
        monitor.set(.connecting, error: failure)
    }

    /// Waits for that long, or until the network changes, since the last such wait or in this one.
    private func waitForNetwork(_ longest: Duration) async throws {
        let watch = monitor.watchNetwork(by: limits.network)
        // A network that changes again and again makes no storm of attempts.
        let earliest = ContinuousClock.now + min(longest, limits.shortestOffline)
        try await withThrowingTaskGroup(of: Bool.self) { group in
            group.addTask {
                try await Task.sleep(for: longest)
                return false
            }
            group.addTask {
                try await watch.change()
                try await Task.sleep(until: earliest)
                return true
            }
            defer { group.cancelAll() }
            if try await group.next() == true { monitor.log(.info, "the network has changed") }
        }
        watch.take()
    }

    /// Runs all directions once.
    ///
    /// - Parameter offersEarlier: whether the conflicts that there are come before the resolver; false once they have.
    private func passOn(_ conflicts: ConflictHandler?, _ offersEarlier: inout Bool) async throws {
        // Before anything is made at the other side.
        for direction in configuration.direction.all { try configuration.checkChoice(direction) }
        let peer = try connect()
        // A source that is not there has nothing.
        if configuration.createsTarget, configuration.direction != .pull { try await create(peer) }
        let directions = try await directions(peer)
        try await loadFailures(directions)
        let unresolved = try await resolveAgain(conflicts, directions)
        if offersEarlier { try await resolveEarlier(conflicts, directions, but: unresolved) }
        offersEarlier = false
        let refusals = try await withThrowingTaskGroup(of: ReplicationError?.self) { group in
            for direction in directions {
                group.addTask {
                    let run = try transfer(direction, peer, conflicts, withCheckpoint: true)
                    try await run.run()
                    return run.refusal
                }
            }
            // Not `waitForAll`: it throws only when all the others have ended, and they may go on for ever.
            var refusals: [ReplicationError] = []
            while let ended = try await group.next() { if let refusal = ended { refusals.append(refusal) } }
            return refusals
        }
        if let refusal = refusals.first { throw refusal }
    }

    /// Reads which documents have failed in earlier runs, if it is not known.
    private func loadFailures(_ directions: [NamedDirection]) async throws {
        guard !failures.isLoaded else { return }
        var earlier: [FailedDocuments.Failure] = []
        for direction in directions { earlier += try await kept(direction).load() }
        failures.load(earlier)
    }

    /// Offers the resolver the conflicts again that it could not resolve.
    ///
    /// - Returns: the IDs of the documents whose conflicts stay, as bytes.
    private func resolveAgain(
        _ conflicts: ConflictHandler?,
        _ directions: [NamedDirection]
    ) async throws -> Set<[UInt8]> {
        guard let conflicts, let pull = directions.first(where: { $0.direction == .pull }),
            failures.failures.contains(where: \.isOfConflict)
        else { return [] }
        var unresolved: Set<[UInt8]> = []
        for failure in failures.failures where failure.isOfConflict {
            var event = failure.event
            do {
                guard try await conflicts.retry(failure) else { continue }
                failures.remove(CollectionOfOne(event.documentID), .pull)
                event.flags = .resolved
                event.error = nil
            } catch {
                event.error = ReplicationError(error)
                failures.add(FailedDocuments.Failure(event: event, leaves: failure.leaves))
                unresolved.insert(Array(event.documentID.utf8))
            }
            monitor.documents.tell(event)
        }
        try await kept(pull).save(failures)
        return unresolved
    }

    /// Offers the resolver the conflicts that the database has.
    ///
    /// - Parameter known: those that were just offered, the IDs as bytes.
    private func resolveEarlier(
        _ conflicts: ConflictHandler?,
        _ directions: [NamedDirection],
        but known: Set<[UInt8]>
    ) async throws {
        guard let conflicts, let pull = directions.first(where: { $0.direction == .pull }) else { return }
        try await conflicts.resolveAll(but: known) { event in
            if event.error != nil { failures.add(FailedDocuments.Failure(event: event, leaves: [])) }
            monitor.documents.tell(event)
        }
        try await kept(pull).save(failures)
    }

    private func kept(_ direction: NamedDirection) -> KeptFailures {
        KeptFailures(LocalPeer(configuration.database), direction.names, direction.direction)
    }

    /// The directions of the configuration. Where a filter of the other side is used, that is asked for its version.
    private func directions(_ peer: any Peer) async throws -> [NamedDirection] {
        var directions: [NamedDirection] = []
        for direction in configuration.direction.all {
            directions.append((direction, try await CheckpointNames(configuration, direction, peer)))
        }
        return directions
    }

    /// Tries again to pass on the documents that failed.
    func retry() async throws {
        let conflicts = configuration.conflictResolver.map { ConflictHandler(configuration.database, $0) }
        do {
            let peer = try connect()
            let directions = try await directions(peer)
            try await loadFailures(directions)
            let unresolved = try await resolveAgain(conflicts, directions)
            let failed = failures.failures.filter { !unresolved.contains(Array($0.event.documentID.utf8)) }
            guard !failed.isEmpty else { return }
            for direction in directions {
                let some = failed.filter { $0.event.direction == direction.direction }
                guard !some.isEmpty else { continue }
                let last = failures.lastNumber
                try await transfer(direction, peer, conflicts, withCheckpoint: false).run(some)
                // What the source has no more, or its filter leaves out, has not come by.
                failures.remove(some, after: last)
                try await kept(direction).save(failures)
            }
        } catch {
            throw ReplicationError(error)
        }
    }

    private func create(_ peer: any Peer) async throws {
        guard let peer = peer as? any CreatablePeer else { return }
        do {
            _ = try await peer.information()
        } catch let error as PeerError where error.kind == .notFound {
            try await peer.create()
        }
    }

    private func transfer(
        _ direction: NamedDirection,
        _ peer: any Peer,
        _ conflicts: ConflictHandler?,
        withCheckpoint: Bool
    ) throws -> Transfer {
        let plan = try TransferPlan(configuration, direction.direction, limits)
        let isPush = direction.direction == .push
        let local =
            isPush
            ? try LocalPeer.source(of: configuration)
            : LocalPeer(configuration.database, source: peer.name, validation: configuration.validation)
        let source: any Peer = isPush ? local : peer
        let target: any Peer = isPush ? peer : local
        let keeper =
            withCheckpoint && direction.names.tellSidesApart
            ? CheckpointKeeper(source: source, target: target, names: direction.names) : nil
        return Transfer(
            from: source,
            to: target,
            plan,
            monitor: monitor,
            failures: failures,
            conflicts: isPush ? nil : conflicts,
            keeper: keeper,
            kept: kept(direction)
        )
    }
}

/// A peer that can make its database.
protocol CreatablePeer: Peer {
    /// Makes the database. Does nothing if it is there.
    func create() async throws
}

extension ReplicationDirection {
    fileprivate var all: [ReplicatedDocument.Direction] {
        switch self {
        case .pushAndPull: [.push, .pull]
        case .push: [.push]
        case .pull: [.pull]
        }
    }
}
