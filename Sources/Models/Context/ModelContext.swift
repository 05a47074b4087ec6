internal import SetteeDocumentValues
public import SetteeEngine
public import StorageProtocol

/// The models of one database: `db.models`.
///
/// There is one live object for a document (and class): requesting it again returns the same object. It lives as long
/// as there are references to it, or it has unsaved edits.
///
/// ```swift
/// db.models.register(Note.self, forType: "note")
/// db.models.register(VoiceNote.self, forType: "voice_note")
/// let note = try db.models.model(id: "groceries")         // a Note or a VoiceNote, as the document's `type` says
/// try db.models.saveAll()
/// ```
public final class ModelContext: DatabaseCompanion {
    private let known: DatabaseReference
    let state = Locked(ModelContextState())
    /// The documents of models that were released. It has a lock of its own, because a model may be released anywhere.
    private let dead = Locked<[DocumentID]>([])

    package init(of database: Database) { known = database.reference }

    func database() throws(StorageError) -> Database {
        guard let database = known.database else {
            throw StorageError(.notOpen, "The database of these models is closed.")
        }
        return database
    }

    var isOpen: Bool { known.database?.isOpen ?? false }

    // MARK: - Classes by type

    /// Makes `class` the class of documents whose property `type` has the value `type`.
    ///
    /// A document of this type becomes an object of the class if that fits the requested class. An object of the class
    /// gets the type if it is saved without one. Registering again replaces the class of a type.
    public func register(_ class: Model.Type, forType type: String) {
        state.withLock { $0.registry.register(`class`, forType: type) }
    }

    /// Does the same for a `Codable` type, whose documents are `ModelDocument`s of it.
    public func register<Value: Codable & Sendable>(_ valueType: Value.Type, forType type: String) {
        register(ModelDocument<Value>.self, forType: type)
    }

    /// Returns the type that the class of `model` is registered for.
    func typeName(of model: Model) -> String? {
        state.withLock { $0.registry.typeName(of: Swift.type(of: model)) }
    }

    // MARK: - Models

    /// Returns the model of an existing document: of the class that its `type` is registered for, else a plain `Model`.
    /// Nil if the document is missing or deleted.
    ///
    /// - Throws: `badID` (494) if the ID is not allowed; the errors of reading.
    public func model(id: some DocumentIDConvertible) throws(StorageError) -> Model? {
        try existing(Model.self, id: id)
    }

    /// Returns the model of a document, whether it exists or not: of the class that its `type` is registered for if
    /// that is `class` or a subclass, else of `class` itself. A live model without edits is brought up to date.
    ///
    /// - Throws: `badID` (494) if the ID is not allowed; the errors of reading.
    public func model<Class: Model>(
        _ class: Class.Type,
        id: some DocumentIDConvertible
    ) throws(StorageError) -> Class {
        try model(`class`, of: database()[id.documentIDText])
    }

    /// Returns a model of a new document with a generated ID (a UUID). Nothing is written until it is saved.
    public func makeModel<Class: Model>(_ class: Class.Type) throws(StorageError) -> Class {
        try model(`class`, of: database().makeDocument())
    }

    /// Returns the model of an existing document, like `model(_:id:)`; nil if the document is missing or deleted.
    func existing<Class: Model>(
        _ class: Class.Type,
        id: some DocumentIDConvertible
    ) throws(StorageError) -> Class? {
        let document = try database()[id.documentIDText]
        if let live = try live(`class`, of: document) { return live.revisionID == nil ? nil : live }
        let contents = try SavedContents(of: document)
        guard contents.revision != nil else { return nil }
        return try make(`class`, of: document, contents)
    }

    private func model<Class: Model>(_ class: Class.Type, of document: Document) throws(StorageError) -> Class {
        if let live = try live(`class`, of: document) { return live }
        return try make(`class`, of: document, SavedContents(of: document))
    }

    /// Returns the live model of a document, brought up to date if it has no edits.
    private func live<Class: Model>(_ class: Class.Type, of document: Document) throws(StorageError) -> Class? {
        let id = try document.documentID()
        let models = state.withLock { $0.live(id) }
        guard let live = ModelContext.usable(`class`, among: models) else { return nil }
        try live.refresh()
        return live
    }

    private func make<Class: Model>(
        _ class: Class.Type,
        of document: Document,
        _ contents: SavedContents
    ) throws(StorageError) -> Class {
        let id = try document.documentID()
        let type = contents.properties["type"]?.stringValue
        let registered = type.flatMap { type in state.withLock { $0.registry.class(forType: type) } }
        let fitting = registered as? Class.Type ?? `class`
        let fresh = fitting.init(ModelSeed(document: document, context: self, contents: contents))
        // Another thread may have made the model first.
        let gone = dead.withLock { dead in
            defer { dead = [] }
            return dead
        }
        let (chosen, others) = state.withLock { state in
            let others = state.drop(gone) + state.live(id)
            if let live = ModelContext.usable(`class`, among: state.live(id)) { return (live, others) }
            state.live[id, default: []].append(WeakModel(fresh))
            return (fresh, others)
        }
        return withExtendedLifetime(others) { chosen }
    }

    private static func usable<Class: Model>(_ class: Class.Type, among models: [Model]) -> Class? {
        for case let model as Class in models where !model.state.withLock({ $0.isDismissed }) { return model }
        return nil
    }

    /// Notes that a model of `document` was released.
    func forget(_ document: Document) {
        guard let id = try? document.documentID() else { return }
        dead.withLock { $0.append(id) }
    }

    // MARK: - The end

    package func databaseWillClose() {
        guard isOpen else { return }
        followsChanges = false
        autosaveAtEnd()
        // Edits without `autosaves` are lost with the database.
        let unsaved = state.withLock { state in
            defer { state.unsaved = [:] }
            return state.unsaved
        }
        withExtendedLifetime(unsaved) {}
    }
}

extension Database {
    /// The models of this database.
    public var models: ModelContext { companion(ModelContext.self) }
}
