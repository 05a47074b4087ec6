internal import NIOHTTP1
internal import SetteeDocumentValues

extension RemotePeer {
    /// So many revisions are named in a URL, which servers and proxies allow 8 KiB.
    private static let revisionsInURL = 40

    /// Asks for the revisions of the first document that is open, where there is no `_bulk_get`.
    func openRevisions(
        _ open: inout OpenWishes,
        _ body: (_ place: Int, RevisionAnswer) async throws -> Void
    ) async throws {
        var pauses = client.pauses[...]
        let wanted = open.firstDocument.prefix(RemotePeer.revisionsInURL)
        guard let first = wanted.first else { return }
        var isDoubted = false
        while true {
            do {
                let response = try await client.send(openRevisionsRequest(wanted))
                if response.isSuccess {
                    try await read(response, of: first.id, &open, body)
                    guard open.unreadable != nil || !wanted.contains(where: open.contains) else {
                        throw PeerError.badAnswer("without what was asked for")
                    }
                    return try await refuse(wanted, open.unreadable, &open, body)
                }
                let failure = await response.failure()
                if failure.kind == .notFound {
                    // Without the database this is another failure.
                    _ = try await information()
                    return try await refuse(wanted, nil, &open, body)
                }
                let isAboutDocument = 400..<500 ~= failure.status && ![401, 408, 429].contains(failure.status)
                guard isAboutDocument else { throw failure }
                // Something in between may have answered: for a question without a body, 413 is hardly the server's.
                if !isDoubted, failure.isNameless || failure.kind == .tooLarge {
                    isDoubted = true
                    try await expectServer(after: failure)
                    continue
                }
                return try await refuse(wanted, failure, &open, body)
            } catch let error as PeerError {
                try await client.pause(after: error, about: 1, &pauses)
            }
        }
    }

    private func openRevisionsRequest(_ wanted: ArraySlice<OpenWishes.Entry>) throws -> RemoteRequest {
        let first = wanted[wanted.startIndex]
        var request = RemoteRequest(.GET, RemoteRequest.path(of: first.id))
        let revisions = JSONValue.list(wanted.map(\.revision)).description
        request.query = RemotePeer.revisionOptions + [("open_revs", revisions)]
        request.headers = [("Accept", RemotePeer.acceptedTypes)]
        return request
    }

    /// Says of those that are still open that they cannot be had.
    private func refuse(
        _ wanted: ArraySlice<OpenWishes.Entry>,
        _ error: PeerError?,
        _ open: inout OpenWishes,
        _ body: (_ place: Int, RevisionAnswer) async throws -> Void
    ) async throws {
        open.unreadable = nil
        for entry in wanted where open.take(id: entry.id, revision: entry.revision) != nil {
            try await body(entry.place, .missing(revision: entry.revision, error))
        }
    }
}
