internal import SetteeDocumentValues
internal import SetteeEngine
internal import StorageProtocol

extension LocalPeer {
    /// Bodies that are in memory at a time, beside those of one document.
    private static let bytesAtOnce = 2 << 20

    func revisions(
        _ wishes: [RevisionWish],
        _ body: (_ place: Int, RevisionAnswer) async throws -> Void
    ) async throws {
        var first = 0
        while first < wishes.count {
            let rest = wishes[first...]
            let batch = try await read { try $0.answers(to: rest, bytes: LocalPeer.bytesAtOnce) }
            for (place, answer) in batch.answers { try await body(place, answer) }
            first = batch.next
        }
    }

    func content(_ wish: AttachmentWish, from offset: UInt64) async throws -> any ContentPieces {
        try await read { database in
            guard let digest = AttachmentDigest(wish.digest), digest.kind == .sha1 else {
                throw PeerError(.missingAttachment, status: 412, "The attachment's digest is none of this database.")
            }
            let stub = AttachmentStub(
                name: wish.name,
                contentType: nil,
                digest: digest.bytes,
                length: wish.length,
                revpos: 1,
                encodedLength: nil
            )
            let reader = try Attachment(database: database, stub: stub).openReader(encoded: true)
            return LocalContent(reader, from: offset)
        }
    }
}

extension Database {
    /// Reads revisions of the wishes from the first on, until their bodies have `bytes`. Blocks.
    ///
    /// - Returns: the answers, each with the index of its wish, and the index of the first wish that is left.
    fileprivate func answers(
        to wishes: ArraySlice<RevisionWish>,
        bytes: Int
    ) throws -> (answers: [(place: Int, answer: RevisionAnswer)], next: Int) {
        var answers: [(place: Int, answer: RevisionAnswer)] = []
        var places: [Int] = []
        let progress = ReadingProgress(wishes.startIndex)
        // The next request is asked for when the one before is answered.
        let requests = AnyIterator<RevisionRequest> {
            while progress.bytes < bytes, progress.next < wishes.endIndex {
                let place = progress.next
                progress.next += 1
                guard let request = RevisionRequest(wishes[place]) else {
                    progress.bad.append(place)
                    continue
                }
                places.append(place)
                return request
            }
            return nil
        }
        try revisions(IteratorSequence(requests)) { (number, answer, json) throws(StorageError) in
            let place = places[number]
            switch answer {
            case .found(let found):
                progress.bytes += json.byteCount
                answers.append((place, .found(TransferredRevision(found, json, wishes[place]))))
            case .missing(let revision): answers.append((place, .missing(revision: revision.string, nil)))
            case .noDocument: break
            }
        }
        for place in progress.bad {
            let error = PeerError(.notFound, status: 404, "missing")
            answers += wishes[place].revisions.map { (place, .missing(revision: $0, error)) }
        }
        return (answers, progress.next)
    }
}

/// How far `answers` is.
private final class ReadingProgress {
    var next: Int
    var bytes = 0
    /// Wishes with an ID that is none.
    var bad: [Int] = []

    init(_ next: Int) { self.next = next }
}

extension RevisionRequest {
    /// Nil if an ID is none.
    fileprivate init?(_ wish: RevisionWish) {
        guard let id = try? DocumentID(wish.documentID), !id.isLocal else { return nil }
        let revisions = wish.revisions.compactMap { try? RevisionID($0) }
        guard revisions.count == wish.revisions.count else { return nil }
        let known = Set(wish.knownAncestors.compactMap { try? RevisionID($0) })
        self.init(documentID: id, selection: .revisions(revisions), knownAncestors: known)
    }
}

extension TransferredRevision {
    fileprivate init(_ found: FoundRevision, _ json: RawSpan, _ wish: RevisionWish) {
        self.init(
            documentID: found.documentID.string,
            history: found.history.map(\.string),
            isDeleted: found.isDeleted,
            json: unsafe json.withUnsafeBytes { unsafe Array($0) },
            hasAttachments: found.hasAttachments,
            knownAncestors: wish.knownAncestors
        )
    }
}
