package import SetteeDocumentValues
package import StorageProtocol

extension MangoSelector {
    /// Whether it has a condition on `_rev`.
    package var readsRevision: Bool { needsRevision }

    /// Returns whether a live revision matches, given as a store lends it.
    ///
    /// - Parameters:
    ///   - id: the ID's UTF-8.
    ///   - revision: the revision's ID as text. Only read if `readsRevision`.
    /// - Throws: as `matches(_:id:revision:isDeleted:)`.
    package func matches(_ body: RawSpan, id: RawSpan, revision: RawSpan) throws(StorageError) -> Bool {
        var workspace = Workspace()
        return try matcher.holds(body, evaluation(id, revision), &workspace)
    }

    /// The paths to the fields.
    package var paths: [JSONPointer] { matcher.trie.paths }

    /// Does the same with the fields that a walk over the body found.
    ///
    /// - Parameter found: of `paths`.
    package func matches(
        _ body: RawSpan,
        _ found: FoundPlaces,
        id: RawSpan,
        revision: RawSpan
    ) throws(StorageError) -> Bool {
        var workspace = Workspace()
        if !matcher.trie.isEmpty { try workspace.count(body.byteCount) }
        return try matcher.holds(body, found, evaluation(id, revision), &workspace)
    }

    private func evaluation(_ id: RawSpan, _ revision: RawSpan) -> Evaluation {
        Evaluation(
            id: needsID ? MangoSelector.text(of: id) : [],
            revision: needsRevision ? MangoSelector.text(of: revision) : [],
            isDeleted: false
        )
    }

    /// The JSON text of a string.
    static func text(of string: RawSpan) -> [UInt8] {
        text(unsafe string.withUnsafeBytes { unsafe String(decoding: $0, as: UTF8.self) })
    }
}

extension FieldPath {
    /// Whether it is the ID of a document.
    package var isDocumentID: Bool { special == .id && count == 1 }

    /// The names, from the outermost.
    package var texts: [String] { names.map { String(decoding: $0, as: UTF8.self) } }

    /// Whether it is the ID of a document's revision.
    package var readsRevision: Bool { special == .revision }

    /// Whether it leads to a member of a stored body.
    package var isOfBody: Bool { special != .id && special != .revision }

    /// Passes the text of the field's value in a live revision to `use`, given as a store lends it; nil if the field is
    /// missing.
    package func withValue<R>(
        of body: RawSpan,
        id: RawSpan,
        revision: RawSpan,
        _ use: (RawSpan?) throws(StorageError) -> R
    ) throws(StorageError) -> R {
        switch special {
        case .id, .revision:
            guard count == 1 else { return try use(nil) }
            let text = MangoSelector.text(of: special == .id ? id : revision)
            return try unsafe use(text.span.bytes)
        default:
            guard let range = range(in: body) else { return try use(nil) }
            return try use(body.extracting(range))
        }
    }
}
