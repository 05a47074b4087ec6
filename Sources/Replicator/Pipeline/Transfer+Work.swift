internal import SetteeEngine
internal import StorageProtocol

extension Transfer {
    /// Does something with a batch. What may succeed later is tried again. Where one item may be the cause, the batch
    /// is halved until that item is alone, and refused.
    ///
    /// - Parameters:
    ///   - peer: whom it is asked of.
    ///   - size: which size learns from it.
    ///   - attempt: leaves in the batch what is not done, whether it throws or not.
    /// - Throws: what concerns more than one item.
    func work<Item: Sendable>(
        _ items: [Item],
        of peer: any Peer,
        _ size: WritableKeyPath<Sizes, AdaptiveSize>,
        _ attempt: (inout [Item]) async throws -> Void,
        refuse: (Item, PeerError) -> Void
    ) async throws {
        var batches = [Batch(items: items)]
        var doubtful: [(Item, PeerError)] = []
        var passed = 0
        while var batch = batches.popLast() {
            let count = batch.items.count
            guard count > 0 else { continue }
            let began = ContinuousClock.now
            do {
                try await attempt(&batch.items)
                state.withLock { $0.sizes[keyPath: size].succeeded(count, in: ContinuousClock.now - began) }
                passed += count
            } catch let error as PeerError {
                try Task.checkCancellation()
                state.withLock { $0.sizes[keyPath: size].failed(count, error) }
                passed += count - batch.items.count
                guard let first = batch.items.first else { continue }
                switch Remedy(for: error, after: batch.tries, of: plan.limits) {
                case .again:
                    try await pause(batch.tries, error)
                    batch.tries += 1
                    batches.append(batch)
                case .halve where error.isNameless && !batch.isDoubted:
                    // Something between may answer in the peer's place. Then this one does not answer either.
                    _ = try await peer.information()
                    batch.isDoubted = true
                    batches += count > 1 ? batch.halves : [batch]
                case .halve where batch.items.count > 1:
                    log(.debug, "\(batch.items.count) documents or revisions are tried in halves (\(error.logged))")
                    batches += batch.halves
                case .halve where error.kind == .transient: doubtful.append((first, error))
                case .halve: refuse(first, error)
                case .end: throw error
                }
            }
        }
        guard let first = doubtful.first else { return }
        // Where nothing passes it is the peer's trouble, and not that of these items.
        guard passed > 0 else { throw first.1 }
        for (item, error) in doubtful { refuse(item, error) }
    }

    /// Does something again while a failure may pass.
    func repeating<R: Sendable>(_ body: () async throws -> R) async throws -> R {
        var tries = 0
        while true {
            do {
                return try await body()
            } catch let error as PeerError where error.kind == .transient && tries < plan.limits.retries {
                try Task.checkCancellation()
                try await pause(tries, error)
                tries += 1
            }
        }
    }

    private func pause(_ tries: Int, _ error: PeerError) async throws {
        // The peer may come back as another one.
        state.withLock { $0.comparesSides = true }
        let longest = Duration.seconds(60)
        let first = plan.limits.retryDelay
        let delay = Backoff.delay(tries, first: first, longest: longest, retryAfter: error.retryAfter)
        log(.info, "tries again in \(delay.logged) (\(error.logged))")
        try await Task.sleep(for: delay)
    }
}

private struct Batch<Item: Sendable>: Sendable {
    var items: [Item]
    /// How often it was tried again.
    var tries = 0
    /// Whether the peer was asked if it is still there.
    var isDoubted = false

    /// They are tried as often as is left, so that the search for one item does not wait again and again.
    var halves: [Batch] {
        let middle = items.count / 2
        return [
            Batch(items: Array(items[middle...]), tries: tries), Batch(items: Array(items[..<middle]), tries: tries),
        ]
    }
}

/// What is done about a failure.
private enum Remedy {
    case again
    case halve
    case end

    init(for error: PeerError, after tries: Int, of limits: ReplicationLimits) {
        switch error.kind {
        case .transient where tries < limits.retries: self = .again
        // A server may fail at one document each time.
        case .transient: self = error.status == 500 ? .halve : .end
        case .tooLarge, .badDocument, .badAnswer, .forbidden, .conflict, .missingAttachment: self = .halve
        case .unauthorized, .untrusted, .readOnly, .notFound: self = .end
        }
    }
}
