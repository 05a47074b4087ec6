internal import Settee

/// A revision and its ancestors in CouchDB's form: `{"start": 3, "ids": ["c", "b", "a"]}` is 3-c, 2-b, 1-a.
struct RevisionHistory {
    private let ids: [RevisionID]

    /// - Parameter ids: newest first, without a gap.
    init(_ ids: [RevisionID]) { self.ids = ids }

    init(_ tree: RevisionTree, _ id: RevisionID) { ids = tree.history(of: id).map(\.id) }

    private var start: UInt64 { ids.first?.generation ?? 0 }

    private var suffixes: [String] {
        ids.map { id in
            let text = id.string.utf8
            return text.firstIndex(of: UInt8(ascii: "-")).map {
                String(decoding: text[$0...].dropFirst(), as: UTF8.self)
            } ?? ""
        }
    }

    var value: JSONValue {
        .object(["ids": .array(suffixes.map { .string($0) }), "start": JSONValue(start)])
    }

    var line: JSONLine { JSONLine().strings("ids", suffixes).number("start", start) }
}
