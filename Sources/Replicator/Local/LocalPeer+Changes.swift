internal import SetteeDocumentValues
internal import SetteeEngine
internal import StorageProtocol

extension LocalPeer {
    private static let bytesOfPage = 4 << 20

    /// The changes that there are.
    func page(_ query: ChangesQuery) async throws -> ChangesPage {
        let filter = try filter.and(query.filter, in: database)
        return try await read { database in
            guard let since = query.since.map({ LocalPeer.sequence($0) }) ?? 0 else {
                throw PeerError(.badDocument, status: 400, "`since` is not a sequence of this database.")
            }
            let page = try database.changePage(
                since: since,
                limit: query.limit,
                bytes: LocalPeer.bytesOfPage,
                includeDocs: filter.needsBody,
                includeLeaves: true
            )
            var rows: [ChangedDocument] = []
            rows.reserveCapacity(page.rows.count)
            for row in page.rows {
                let judgement = filter.judgement(of: row)
                guard judgement != .leftOut else { continue }
                var document = ChangedDocument(
                    sequence: JSONValue(row.sequence),
                    id: row.documentID.string,
                    leaves: row.leaves?.map(\.id.string) ?? [row.revisionID.string],
                    isDeleted: row.isDeleted
                )
                if case .refused(let error) = judgement { document.refusal = error }
                rows.append(document)
            }
            let last = page.rows.last?.sequence ?? since
            return ChangesPage(rows: rows, lastSequence: JSONValue(last), isAtEnd: page.isLast)
        }
    }

    /// The number of a sequence; nil if it is not one of a database here.
    static func sequence(_ value: JSONValue) -> UInt64? {
        if let text = value.stringValue { return UInt64(text) }
        return value.intValue.flatMap { UInt64(exactly: $0) }
    }
}
