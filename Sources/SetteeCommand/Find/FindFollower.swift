internal import Settee
internal import StorageProtocol

/// Prints the documents that a query finds, then those that are found later or change and those that are no longer
/// found, until it is stopped. The query runs again only after commits that can change them.
enum FindFollower {
    /// A document as it is printed.
    private struct Line: Sendable {
        let id: DocumentID
        let text: [UInt8]
    }

    /// Returns when a signal requests it, or the reader of the output is gone.
    static func run(_ query: FindQuery, _ printer: Printer) throws {
        let follower = LiveFollower<[Line]>(printer, [])
        try follower.run {
            let listener = query.live().addListener { result in
                follower.show(
                    { try result.get().map { Line(id: $0.documentID, text: try $0.properties.canonicalBytes()) } },
                    print
                )
            }
            return { listener.remove() }
        }
    }

    /// Prints the difference between two results: first the documents that are gone, then those that are new or have
    /// changed.
    private static func print(_ new: [Line], after old: [Line], _ printer: Printer) throws(StorageError) {
        let known = Dictionary(uniqueKeysWithValues: old.map { ($0.id, $0.text) })
        let found = Set(new.map(\.id))
        for id in known.keys.filter({ !found.contains($0) }).sorted() {
            try printer.line(bytes: JSONLine().string("_id", id.string).bool("_removed", true).object)
        }
        for line in new where known[line.id] != line.text { try printer.line(bytes: line.text) }
    }
}
