internal import SetteeDocumentValues
public import StorageProtocol

extension RequestOptions {
    /// The revision that an option names, nil if it is not given.
    ///
    /// - Throws: `bad_request` (400) if it is not a revision ID.
    public func revision(_ name: TargetText) throws(CouchError) -> RevisionID? {
        guard let text = try text(name) else { return nil }
        return try RevisionID(wire: text)
    }

    /// The revisions that an option names in a JSON array, nil if it is not given.
    ///
    /// - Throws: `bad_request` (400) for text that is not JSON, no array, and elements that are no revision IDs.
    public func revisions(_ name: TargetText) throws(CouchError) -> [RevisionID]? {
        guard let value = try json(name) else { return nil }
        guard let elements = value.arrayValue else { throw .badRequest("Invalid list of revisions") }
        var revisions: [RevisionID] = []
        revisions.reserveCapacity(elements.count)
        for element in elements {
            guard let text = element.stringValue else { throw .invalidRevision }
            revisions.append(try RevisionID(wire: text))
        }
        return revisions
    }
}

extension RevisionID {
    /// Reads a revision ID as the protocol writes it. CouchDB writes revisions of local documents as `0-N`; here they
    /// are `N-local`. Both are accepted.
    ///
    /// - Throws: `bad_request` (400).
    public init(wire text: String) throws(CouchError) {
        let bytes = Array(text.utf8)
        do {
            if bytes.starts(with: "0-".utf8), bytes.dropFirst(2).allSatisfy({ ASCII.isDigit($0) }) {
                self = try RevisionID(text.dropFirst(2) + "-local")
            } else {
                self = try RevisionID(text)
            }
        } catch {
            throw .invalidRevision
        }
    }

    /// The text of a local document's revision ID in the protocol: `0-N`.
    public var localWireText: String { "0-\(generation)" }
}
