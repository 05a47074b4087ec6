internal import SetteeDocumentValues
internal import SetteeEngine
internal import SetteeJavaScript
package import SetteeViews
package import StorageProtocol

extension DesignDocuments {
    /// Returns the view `design/name`, with its functions set as they are in the design document now.
    ///
    /// A view that the app, or a stored definition, has under that name is returned if there is no such design
    /// document, or it has no such view. `DatabaseView.status()` tells whether the view has a reduce function.
    ///
    /// - Parameter design: the ID of the design document without `_design/`.
    /// - Throws: any `DesignError`; `StorageError`: `callback` (593) inside `read`, `inUse` (423), `full` (507).
    /// - Complexity: a look at the database's counters and at the view's record, unless something has changed.
    package func view(_ name: String, of design: String) throws -> DatabaseView {
        let view = database.view(DesignViewName.text(name, of: design))
        let document = try catalog.document(design)
        if let document, !document.isDeleted {
            try document.requireLanguage()
            if let definition = try document.view(name) {
                try set(view, definition, name: name, scope: scope(of: design))
                return view
            }
        }
        if try view.isSetWithoutBatches() { return view }
        throw DesignError.missing(document.map { $0.isDeleted ? "deleted" : "missing_named_view" } ?? "missing")
    }

    /// Returns the view that has a name in the database, as above; nil if no design document has it.
    package func view(named name: String) throws -> DatabaseView? {
        guard let parts = DesignViewName.parts(name), let document = try catalog.document(parts.design),
            document.isRunnable, try document.view(parts.view) != nil
        else { return nil }
        return try view(parts.view, of: parts.design)
    }

    /// The names that the views of all design documents have in the database. Needs no JavaScript.
    package func viewNames() throws(StorageError) -> [String] {
        try catalog.documents().filter(\.isRunnable).flatMap { document in
            document.viewNames.map { DesignViewName.text($0, of: document.name) }
        }
    }

    /// Sets a view's functions, unless they are those that count.
    func set(_ view: DatabaseView, _ definition: DesignView, name: String, scope: String) throws {
        let known = settings.withLock { $0[view.name] }
        if let known, known.definition == definition, try view.isSet(to: known.mapper) { return }
        let map = JavaScriptFunction(definition.map, scope: scope, modules: definition.modules)
        try check(map, "The map function of the view \"\(name)\"")
        var reduce: Reduce?
        if let source = definition.reduce {
            reduce = try Reduce(design: source, scope: scope, pool)
            if source.utf8.first != UInt8(ascii: "_") {
                try check(JavaScriptFunction(source, scope: scope), "The reduce function of the view \"\(name)\"")
            }
        }
        let mapper = JavaScriptMapper(map, pool)
        try view.setMap(
            version: definition.version,
            collation: definition.collation,
            reduce: reduce,
            options: definition.options,
            batch: mapper
        )
        settings.withLock { $0[view.name] = Setting(definition: definition, mapper: mapper) }
    }
}
