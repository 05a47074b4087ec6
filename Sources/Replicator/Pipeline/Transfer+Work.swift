internal import SetteeEngine
internal import StorageProtocol

extension Transfer {
    /// So many items that fail alone, while none passes, are taken for a sign that the peer is at fault.
    private static let suspects = 8

    /// Does something with a batch. What may succeed later is tried again. Where one item may be the cause, the batch
    /// is halved until that item is alone, and refused.
    ///
    /// - Parameters:
    ///   - size: which size learns from it.
    ///   - attempt: leaves in the batch what is not done, whether it throws or not.
    /// - Throws: what concerns more than one item.
    func work<Item: Sendable>(
        _ items: [Item],
        _ size: WritableKeyPath<Sizes, AdaptiveSize>,
        _ attempt: (inout [Item]) async throws -> Void,
        refuse: (Item, PeerError) -> Void
    ) async throws {
        var batches = [Batch(items: items)]
        var doubtful: [(Item, PeerError)] = []
        var passed = 0
        var isSampled = false
        while var batch = batches.popLast() {
            if !isSampled, passed == 0, doubtful.count == Transfer.suspects {
                // These may be all that are bad: some of the others are tried alone.
                batches = (batches + [batch]).sampled(Transfer.suspects)
                batch = batches.removeLast()
                isSampled = true
            }
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
                case .halve where error.mayBeThePeers && !batch.isDoubted:
                    // A peer may be gone, or something between may answer in its place. Then this has no answer either.
                    _ = try await source.information()
                    _ = try await target.information()
                    batch.isDoubted = true
                    batches += count > 1 ? batch.halves : [batch]
                case .halve where batch.items.count > 1:
                    log(.debug, "\(batch.items.count) documents or revisions are tried in halves (\(error.logged))")
                    batches += batch.halves
                case .halve where error.mayBeThePeers:
                    doubtful.append((first, error))
                    if passed == 0, doubtful.count >= 2 * Transfer.suspects { throw error }
                case .halve: refuse(first, error)
                case .end: throw error
                }
            }
        }
        guard let first = doubtful.first else { return }
        // Where nothing passes it is the peer's trouble, and not that of these items.
        guard passed > 0 || first.1.kind != .transient && doubtful.count == 1 else { throw first.1 }
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
        state.withLock { $0.isDoubtful = true }
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

extension Array {
    /// The same items: the last batches are some items alone, from all places.
    fileprivate func sampled<Item>(_ count: Int) -> [Batch<Item>] where Element == Batch<Item> {
        let items = reversed().flatMap(\.items)
        let tries = last?.tries ?? 0
        let step = Swift.max(1, items.count / count)
        var others = Batch<Item>(items: [], tries: tries)
        var alone: [Batch<Item>] = []
        for (place, item) in items.enumerated() {
            if place % step == step / 2, alone.count < count {
                alone.append(Batch(items: [item], tries: tries))
            } else {
                others.items.append(item)
            }
        }
        return [others] + alone
    }
}

extension PeerError {
    /// Whether it may be about one of many items. A peer that asks for patience speaks for itself.
    fileprivate var mayConcernOne: Bool {
        status == 500 || !isLocal && retryAfter == nil && status != 408 && status != 429
    }

    /// Whether it may be about more than the items.
    fileprivate var mayBeThePeers: Bool { isNameless || kind == .transient }
}

/// What is done about a failure.
private enum Remedy {
    case again
    case halve
    case end

    init(for error: PeerError, after tries: Int, of limits: ReplicationLimits) {
        switch error.kind {
        case .transient where tries < limits.retries: self = .again
        // A server may fail at one document each time, and a proxy before it break the connection.
        case .transient: self = error.mayConcernOne ? .halve : .end
        case .tooLarge, .badDocument, .badAnswer, .forbidden, .conflict, .missingAttachment: self = .halve
        case .unauthorized, .untrusted, .readOnly, .notFound: self = .end
        }
    }
}
