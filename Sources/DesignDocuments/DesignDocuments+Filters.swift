internal import SetteeJavaScript
internal import StorageProtocol

extension DesignDocuments {
    /// Returns the filter `filters.NAME` of a design document.
    ///
    /// - Throws: any `DesignError`; `StorageError`.
    package func filter(_ name: String, of design: String) throws -> DesignFilter {
        let document = try liveDocument(design)
        guard let source = document.filter(name) else { throw DesignError.missing("missing json key: \(name)") }
        return try filter(.filter, source, of: document, "The filter \"\(name)\"")
    }

    /// Returns the filter that a view is with `filter=_view`: it accepts documents for which the map function emits.
    ///
    /// - Throws: any `DesignError`; `StorageError`.
    package func viewFilter(_ name: String, of design: String) throws -> DesignFilter {
        let document = try liveDocument(design)
        guard let view = try document.view(name) else { throw DesignError.missing("missing_named_view") }
        return try filter(.map, view.map, of: document, "The map function of the view \"\(name)\"")
    }

    private func liveDocument(_ design: String) throws -> DesignDocument {
        guard let document = try catalog.document(design) else { throw DesignError.missing("missing") }
        guard !document.isDeleted else { throw DesignError.missing("deleted") }
        try document.requireLanguage()
        return document
    }

    private func filter(
        _ kind: DesignFilter.Kind,
        _ source: String,
        of document: DesignDocument,
        _ what: String
    ) throws(DesignError) -> DesignFilter {
        let function = JavaScriptFunction(
            source,
            scope: scope(of: document.name),
            modules: document.modules(of: source)
        )
        try check(function, what)
        return DesignFilter(kind: kind, function: function, pool: pool)
    }
}
