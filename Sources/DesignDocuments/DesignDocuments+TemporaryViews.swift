package import SetteeDocumentValues
internal import SetteeEngine
package import SetteeViews
internal import StorageProtocol

extension DesignDocuments {
    /// The beginning of the names of temporary views: no design document has an empty name. The name of the opening
    /// follows, so that what a killed process has left can be told from what is in use.
    private static let temporaryPrefix = "/temporary/"

    /// Makes a view for a few queries: its index is built by the first one, and removed by `removeTemporaryView`, or
    /// by `cleanUp` if this process is killed before.
    ///
    /// - Parameter definition: `map`, and `reduce`, `options` and `language` if they are there.
    /// - Throws: `compilation`, also without a map function; `unsupportedLanguage`, `unavailable`; `StorageError`.
    package func temporaryView(_ definition: JSONObject) throws -> DatabaseView {
        if let language = definition["language"], language != .string(DesignDocument.javaScript) {
            throw DesignError.unsupportedLanguage(language.stringValue ?? "")
        }
        guard let wanted = try DesignView(definition, common: nil, name: "_temp_view") else {
            throw DesignError.compilation("A temporary view needs a map function, as text in `map`.")
        }
        let number = String(UInt64.random(in: 0 ... .max), radix: 16)
        let view = database.view("\(DesignDocuments.temporaryPrefix)\(database.openingName)/\(number)")
        try set(view, wanted, name: "_temp_view", scope: scope(of: number))
        return view
    }

    /// Removes a view that `temporaryView` has made, with its index. Queries that still run end with an error.
    package func removeTemporaryView(_ view: DatabaseView) throws {
        settings.withLock { _ = $0.removeValue(forKey: view.name) }
        if database.isReadOnly { try view.unset() } else { try view.delete() }
    }

    /// Whether a view is a temporary one of a process that is still there.
    func isTemporaryInUse(_ name: String) throws(StorageError) -> Bool {
        guard name.hasPrefix(DesignDocuments.temporaryPrefix) else { return false }
        let rest = name.dropFirst(DesignDocuments.temporaryPrefix.count)
        let opening = String(rest.prefix { $0 != "/" })
        if opening == database.openingName { return true }
        return try database.isOpenElsewhere(as: opening)
    }
}
