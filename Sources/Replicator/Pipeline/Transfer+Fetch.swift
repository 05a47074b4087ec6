internal import StorageProtocol

extension Transfer {
    /// Revisions are handed on to the writers in lumps.
    private static let revisionsOfLump = 100
    private static let bytesOfLump = 1 << 20
    /// What a revision takes beside its body.
    private static let overhead = 1 << 10
    /// What a revision ID of its history takes beside its text.
    private static let overheadOfName = 64

    /// Reads revisions from the source, as long as wishes come.
    func fetchRevisions() async throws {
        while true {
            let some = try await wishes.receive(upTo: state.withLock { $0.sizes.fetch.current })
            guard !some.isEmpty else { return }
            try await work(some, \.fetch) { batch in
                try await self.fetch(&batch)
            } refuse: { item, error in
                for _ in item.wish.revisions { self.settle(item.number, .failed(ReplicationError(error))) }
            }
            tellProgress()
        }
    }

    private func fetch(_ batch: inout [FetchItem]) async throws {
        let items = batch
        let lump = Lump(items)
        do {
            try await source.revisions(items.map(\.wish)) { place, answer in
                guard items.indices.contains(place) else { return }
                try await self.take(answer, of: place, into: lump)
            }
        } catch {
            // What has come is not asked for again.
            batch = lump.rest.filter { !$0.wish.revisions.isEmpty }
            try await arrived.send(lump.take())
            throw error
        }
        // What the source did not answer is not there any more.
        for item in lump.rest { for _ in item.wish.revisions { settle(item.number, .done) } }
        batch = []
        try await arrived.send(lump.take())
    }

    private func take(_ answer: RevisionAnswer, of place: Int, into lump: Lump) async throws {
        let number = lump.rest[place].number
        switch answer {
        case .missing(let revision, let error):
            guard lump.note(revision, of: place) else { return }
            // A revision that has gone is followed by another change.
            let isGone = error == nil || error?.kind == .notFound
            settle(number, isGone ? .done : .failed(ReplicationError(error ?? PeerError(.notFound, ""))))
        case .found(let revision):
            if !lump.note(revision.history.first ?? "", of: place) {
                state.withLock { $0.prefix.extend(number, by: 1) }
            }
            state.withLock { $0.figures.read += 1 }
            guard accepts(revision, number) else { return }
            let names = revision.history.reduce(0) { $0 + Transfer.overheadOfName + $1.utf8.count }
            let bytes = revision.json.count + Transfer.overhead + names
            if !budget.takeNow(bytes) {
                // The writers give back what is handed to them.
                try await arrived.send(lump.take())
                try await budget.take(bytes)
            }
            lump.add(ArrivedRevision(number: number, revision: revision, bytes: bytes))
            if lump.arrived.count >= Transfer.revisionsOfLump || lump.bytes >= Transfer.bytesOfLump {
                try await arrived.send(lump.take())
            }
        }
    }

    /// Asks the app's filter. What it does not take is done.
    private func accepts(_ revision: TransferredRevision, _ number: Int) -> Bool {
        guard let filter = plan.revisionFilter else { return true }
        let pulled = PulledRevision(
            documentID: revision.documentID,
            revisionID: revision.history.first ?? "",
            isDeleted: revision.isDeleted,
            json: revision.json
        )
        do {
            if try filter(pulled) { return true }
            settle(number, .done)
        } catch {
            settle(number, .failed(ReplicationError(.callback, "The pull filter failed.")))
        }
        return false
    }
}

/// What a request has brought. Used by the request's task.
private final class Lump {
    private(set) var arrived: [ArrivedRevision] = []
    private(set) var bytes = 0
    /// The wishes with the revisions that are not answered yet.
    private(set) var rest: [FetchItem]

    init(_ items: [FetchItem]) { rest = items }

    func add(_ revision: ArrivedRevision) {
        arrived.append(revision)
        bytes += revision.bytes
    }

    func take() -> [ArrivedRevision] {
        defer {
            arrived = []
            bytes = 0
        }
        return arrived
    }

    /// An answer has come. It may be about a revision that follows the one that was asked for.
    ///
    /// - Returns: whether it was waited for.
    func note(_ revision: String, of place: Int) -> Bool {
        guard !rest[place].wish.revisions.isEmpty else { return false }
        let known = rest[place].wish.revisions.firstIndex(of: revision) ?? 0
        rest[place].wish.revisions.remove(at: known)
        return true
    }
}
