internal import SetteeCouchProtocol
internal import SetteeDocumentValues
internal import SetteeEngine
internal import StorageProtocol

/// The rows of `_local_docs`. The number of all is not told, as in CouchDB.
struct LocalListing: Sendable {
    let wanted: ListingOptions
    let database: Database

    /// Adds the listing, an object. Blocks.
    ///
    /// - Complexity: O(local documents).
    func append(to text: inout JSONAnswerText) throws {
        let all = try database.localDocuments()
        text.raw(#"{"total_rows":null,"offset":null,"rows":["#)
        var isFirst = true
        for (key, revision) in rows(of: all).dropFirst(wanted.skip).prefix(wanted.limit ?? .max) {
            if !isFirst { text.raw(",\n") }
            isFirst = false
            if let revision {
                try append(revision, to: &text)
            } else {
                text.raw(#"{"key":"#)
                text.value(key)
                text.raw(#","error":"not_found"}"#)
            }
        }
        text.raw("]}\n")
    }

    /// Keys with their documents: in the order of the keys if they are given, else in that of the IDs.
    private func rows(of all: [SavedRevision]) -> [(key: JSONValue, revision: SavedRevision?)] {
        let rows = all.map { (key: JSONValue.string($0.documentID.string), revision: Optional($0)) }
        guard wanted.key == nil, let keys = wanted.keys else {
            let found = rows.filter { lies($0.key.stringValue ?? "") }
            return wanted.isDescending ? found.reversed() : found
        }
        let byKey = Dictionary(uniqueKeysWithValues: rows)
        return (wanted.isDescending ? keys.reversed() : keys).map { ($0, byKey[$0] ?? nil) }
    }

    /// Whether an ID is between the ends.
    private func lies(_ id: String) -> Bool {
        let (low, high) = wanted.ends
        var (includesLow, includesHigh) = (wanted.includesStart, wanted.includesEnd)
        if wanted.isDescending { swap(&includesLow, &includesHigh) }
        if let low {
            if let text = low.stringValue {
                if id.utf8.lexicographicallyPrecedes(text.utf8) { return false }
                if !includesLow, id.utf8.elementsEqual(text.utf8) { return false }
            } else if low.isAboveText {
                return false
            }
        }
        if let high {
            if let text = high.stringValue {
                if text.utf8.lexicographicallyPrecedes(id.utf8) { return false }
                if !includesHigh, id.utf8.elementsEqual(text.utf8) { return false }
            } else if !high.isAboveText {
                return false
            }
        }
        return true
    }

    private func append(_ revision: SavedRevision, to text: inout JSONAnswerText) throws {
        text.raw(#"{"id":"#)
        let id = text.string(revision.documentID.string)
        text.raw(#","key":"#)
        text.again(id)
        text.raw(#","value":{"rev":"#)
        text.string(revision.id.localWireText)
        text.raw("}")
        if wanted.includesDocuments {
            text.raw(#","doc":"#)
            let attachments = AttachmentMembers(database: database, usesStoredDigests: true)
            let document = RevisionText(id: revision.documentID, revision: revision.id)
            try document.append(unsafe revision.json.span.bytes, attachments, to: &text)
        }
        text.raw("}")
    }
}
