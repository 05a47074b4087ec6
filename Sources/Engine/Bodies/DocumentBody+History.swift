package import SetteeDocumentValues
package import StorageProtocol

extension DocumentBody {
    /// Parses the value of `_revisions`: `{"start": 3, "ids": ["c", "b", "a"]}` is 3-c, 2-b, 1-a.
    ///
    /// - Throws: `badJSON` (493) for anything of another form, `badRequest` (400) for a malformed revision ID.
    static func history(_ value: JSONValue) throws(StorageError) -> [RevisionID] {
        guard let start = value["start"]?.intValue, let ids = value["ids"]?.arrayValue, !ids.isEmpty,
            start >= ids.count
        else {
            throw malformed(
                "_revisions",
                "an object with 'start', a number, and 'ids', an array of at least one and at most as many strings"
            )
        }
        var history: [RevisionID] = []
        history.reserveCapacity(ids.count)
        for (position, suffix) in ids.enumerated() {
            guard let suffix = suffix.stringValue else {
                throw malformed("_revisions", "an object with 'ids' of strings")
            }
            history.append(try RevisionID("\(start - Int64(position))-\(suffix)"))
        }
        return history
    }

    /// Returns the value of `_revisions` for a revision and its ancestors, newest first and without a gap.
    package static func revisions(_ history: [RevisionID]) -> JSONValue {
        [
            "start": JSONValue(history.first?.generation ?? 0),
            "ids": .array(history.map { .string($0.suffix) }),
        ]
    }

    /// Checks the form of a special property that has no meaning in a write.
    ///
    /// - Throws: `badJSON` (493) for anything of another form, `badRequest` (400) for a malformed revision ID.
    static func check(_ name: String, _ value: JSONValue) throws(StorageError) {
        if name == "_local_seq" {
            guard let sequence = value.intValue, sequence >= 0 else { throw malformed(name, "a sequence") }
            return
        }
        let isInfo = name == "_revs_info"
        guard let entries = value.arrayValue else { throw malformed(name, "an array") }
        for entry in entries {
            let text = isInfo ? entry["rev"]?.stringValue : entry.stringValue
            guard let text, !isInfo || entry["status"]?.stringValue != nil else {
                throw malformed(
                    name,
                    isInfo ? "an array of objects with 'rev' and 'status'" : "an array of revision IDs"
                )
            }
            _ = try RevisionID(text)
        }
    }
}
