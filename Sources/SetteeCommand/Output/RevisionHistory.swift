internal import Settee

/// A revision and its ancestors in CouchDB's form: `{"start": 3, "ids": ["c", "b", "a"]}` is 3-c, 2-b, 1-a.
struct RevisionHistory {
    private let ids: [RevisionID]

    /// - Parameter ids: newest first, without gaps.
    init(_ ids: [RevisionID]) { self.ids = ids }

    private var start: UInt64 { ids.first?.generation ?? 0 }

    var line: JSONLine { JSONLine().strings("ids", ids.map(\.suffix)).number("start", start) }
}
