internal import SetteeDocumentValues
internal import SetteeEngine
internal import StorageProtocol

extension LocalPeer {
    /// So many contents are held before the revisions with them are stored: each is an open file.
    private static let mostContents = 32

    func insert(_ revisions: [TransferredRevision], from source: any Peer) async throws -> [InsertOutcome] {
        var outcomes = [InsertOutcome](repeating: .known, count: revisions.count)
        let plain = revisions.indices.filter { !revisions[$0].hasAttachments }
        try await store(plain.map { ($0, revisions[$0], []) }, &outcomes)
        let others = revisions.indices.filter { revisions[$0].hasAttachments }
        try await insert(others.map { ($0, revisions[$0]) }, from: source, trusting: true, &outcomes)
        // A stub that seemed to be of an ancestor is not: its content is fetched as well.
        let again = others.filter {
            if case .refused(let error) = outcomes[$0] { return error.kind == .missingAttachment } else { return false }
        }
        try await insert(again.map { ($0, revisions[$0]) }, from: source, trusting: false, &outcomes)
        return outcomes
    }

    /// Adds revisions with attachments, some at a time.
    ///
    /// - Parameter trusting: whether a stub may stand for an attachment of an ancestor by its name.
    private func insert(
        _ revisions: [(place: Int, revision: TransferredRevision)],
        from source: any Peer,
        trusting: Bool,
        _ outcomes: inout [InsertOutcome]
    ) async throws {
        guard !revisions.isEmpty else { return }
        let plans = try await read { database in
            try revisions.map { try AttachmentPlan($0.revision, in: database, trusting: trusting) }
        }
        var waiting: [Complete] = []
        var held = 0
        for ((place, revision), plan) in zip(revisions, plans) {
            if held >= LocalPeer.mostContents {
                try await store(waiting, &outcomes)
                waiting = []
                held = 0
            }
            do {
                let contents = try await fetch(plan.wishes, from: source)
                held += contents.count
                var revision = revision
                if !contents.isEmpty { revision.json = try plan.json(with: contents) }
                waiting.append((place, revision, contents))
            } catch let error as PeerError {
                guard error.kind != .unauthorized, error.kind != .untrusted else { throw error }
                outcomes[place] = .refused(error.kind == .notFound ? .noContent : error)
            }
        }
        try await store(waiting, &outcomes)
    }

    /// A revision with the contents that were fetched for it. They last as long as they are held.
    private typealias Complete = (place: Int, revision: TransferredRevision, contents: [StagedAttachment])

    /// Adds revisions whose contents are all here.
    private func store(
        _ revisions: [Complete],
        _ outcomes: inout [InsertOutcome]
    ) async throws {
        guard !revisions.isEmpty else { return }
        let parsed = try await parsed(revisions.map(\.revision))
        var places: [Int] = []
        var foreign: [ForeignRevision] = []
        for ((place, _, contents), result) in zip(revisions, parsed) {
            switch result {
            case .success(let revision):
                places.append(place)
                foreign.append(revision.bringing(contents))
            case .failure(let error): outcomes[place] = .refused(error)
            }
        }
        let added = try await write { [foreign, source, validation] database in
            guard let validation = try validation?() else { return try database.forceInsert(foreign, source: source) }
            return try database.withValidation(validation) { () throws(StorageError) in
                try database.forceInsert(foreign, source: source)
            }
        }
        for (place, outcome) in zip(places, added) { outcomes[place] = InsertOutcome(outcome) }
    }

    /// Parses revisions, on several threads where they are many.
    private func parsed(_ revisions: [TransferredRevision]) async throws -> [Result<ForeignRevision, PeerError>] {
        let share = max(64, (revisions.count + 1) / 2)
        return try await withThrowingTaskGroup(of: (Int, [Result<ForeignRevision, PeerError>]).self) { group in
            for start in stride(from: 0, to: revisions.count, by: share) {
                let some = revisions[start..<min(start + share, revisions.count)]
                group.addTask { (start, try await read { _ in some.map { ForeignRevision.parse($0) } }) }
            }
            var parts: [(Int, [Result<ForeignRevision, PeerError>])] = []
            for try await part in group { parts.append(part) }
            return parts.sorted { $0.0 < $1.0 }.flatMap(\.1)
        }
    }
}

extension ForeignRevision {
    fileprivate static func parse(_ revision: TransferredRevision) -> Result<ForeignRevision, PeerError> {
        do throws(StorageError) {
            var history: [RevisionID] = []
            for text in revision.history { history.append(try RevisionID(text)) }
            return .success(
                try ForeignRevision(
                    try DocumentID(revision.documentID),
                    json: revision.json,
                    history: history,
                    isDeleted: revision.isDeleted
                )
            )
        } catch {
            return .failure(PeerError(error))
        }
    }
}

extension InsertOutcome {
    fileprivate init(_ outcome: ForceInsertOutcome) {
        self =
            switch outcome {
            case .added: .added
            case .known: .known
            case .refused(let error): .refused(PeerError(error))
            }
    }
}

extension PeerError {
    fileprivate static let noContent = PeerError(
        .missingAttachment,
        status: 412,
        "The other side does not have the content of an attachment."
    )
}
