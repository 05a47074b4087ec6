internal import SetteeDocumentValues
internal import SetteeEngine
internal import SetteeViews
internal import StorageProtocol

extension Model {
    /// Returns the models whose property `name` refers to this one (back references), in the order of their documents'
    /// IDs. The property holds a `Reference`, or an array of them. Unsaved edits do not count.
    ///
    /// ```swift
    /// let books = try author.backReferences(from: ModelDocument<Book>.self, by: "authors")
    /// ```
    ///
    /// An index makes this fast: a view named `references by NAME`, built by the first call.
    ///
    /// - Parameter class: the class of those models. Documents whose `type` is registered for a class that is neither
    ///   this class nor a subclass are left out.
    /// - Throws: like a query of a view.
    /// - Complexity: O(documents that changed since the last call, plus the results).
    public func backReferences<Class: Model>(from class: Class.Type, by name: String) throws -> [Class] {
        let view = document.database.view("references by \(name)")
        try view.setMap(version: "1") { document, emit in
            switch document[name] {
            case .string(let id): emit(id, document["type"])
            case .array(let elements):
                var seen: Set<JSONValue> = []
                for element in elements where element.stringValue != nil && seen.insert(element).inserted {
                    emit(element, document["type"])
                }
            default: break
            }
        }
        let id = try document.documentID()
        var found: [Class] = []
        try view.query(keys: [id]).forEach { row in
            guard let source = row.sourceDocumentID, context.mayBe(`class`, type: row.value?.stringValue) else {
                return
            }
            if let model = try context.existing(`class`, id: source) { found.append(model) }
        }
        return found
    }

    /// Returns the documents of a `Codable` type whose property `name` refers to this one.
    public func backReferences<Value: Codable & Sendable>(
        from type: Value.Type,
        by name: String
    ) throws -> [ModelDocument<Value>] {
        try backReferences(from: ModelDocument<Value>.self, by: name)
    }
}

extension ModelContext {
    /// Returns whether a document of a `type` can be a model of a class.
    fileprivate func mayBe<Class: Model>(_ class: Class.Type, type: String?) -> Bool {
        guard let type, let registered = state.withLock({ $0.registry.class(forType: type) }) else { return true }
        return registered is Class.Type
    }
}
