internal import Observation
public import SetteeDocumentValues
public import SetteeEngine
internal import StorageProtocol

/// A live object that stands for one document: its properties can be edited in memory, and saved.
///
/// Subclasses declare properties with `@Stored`; a family of them is told apart by the document's `type`
/// (`ModelContext.register`). For plain `Codable` types there is `ModelDocument`.
///
/// ```swift
/// class Note: Model, @unchecked Sendable {
///     @Stored("title") var title = ""
///     @Stored("due") var due: Date?
/// }
/// let note = try db.models.model(Note.self, id: "groceries")
/// note.title = "Groceries"
/// try note.save()
/// ```
///
/// What the class does not declare stays in the document and is at hand through `subscript(_:)`.
///
/// All of it may be used from many threads: what a model keeps itself is behind one lock, which is why it is
/// `@unchecked Sendable`. A subclass says so again, and vouches for stored properties of its own that are not
/// `@Stored`.
///
/// Its properties can be observed with the framework Observation (`withObservationTracking`, SwiftUI): each by itself,
/// whoever changes it. Observers are called after the change, on the thread that made it.
///
/// Edits are in memory alone until they are saved. A model with unsaved edits stays alive until it is saved or
/// reverted, or the database is closed.
open class Model: @unchecked Sendable {
    /// The document it stands for.
    public let document: Document
    /// The models of the same database.
    public let context: ModelContext
    let state: Locked<ModelState>
    /// Who observes properties.
    let observers = ObservationRegistrar()

    /// Called by `ModelContext` alone. A subclass overrides it only where it has properties without initial values.
    public required init(_ seed: ModelSeed) {
        document = seed.document
        context = seed.context
        state = Locked(ModelState(seed.contents))
    }

    deinit { context.forget(document) }

    // MARK: - For subclasses

    /// Called right before the model is saved, by whatever means, inside the transaction: the place for a time stamp.
    /// What it changes is saved too. It may use the database; saving this model again from here does nothing.
    ///
    /// - Parameter changedNames: the properties that differ from what the database holds.
    /// - Throws: an error refuses the save, and comes out of it.
    open func willSave(changedNames: PropertyNames) throws {}

    /// What the tombstone is to hold when the document is deleted: nothing, unless overridden.
    ///
    /// - Throws: an error refuses the deletion.
    open func propertiesToSaveForDeletion() throws -> JSONObject { [:] }

    /// Called after the model took up what somebody else saved. No lock is held.
    open func didReload() {}
}

/// What a model is made of: handed from `ModelContext` to `Model.init`.
public struct ModelSeed: Sendable {
    let document: Document
    let context: ModelContext
    let contents: SavedContents
}
