internal import Observation
public import SetteeDocumentValues
public import SetteeEngine
internal import StorageProtocol

/// A live object for one document: its properties can be edited in memory, and saved.
///
/// Subclasses declare properties with `@Stored`. Different subclasses are distinguished by the document's `type`
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
/// Properties that the class does not declare stay in the document and are available through `subscript(_:)`.
///
/// All of it may be used from many threads: the state of a model is protected by one lock, which is why it is
/// `@unchecked Sendable`. A subclass declares this again, and must protect its own stored properties that are not
/// `@Stored`.
///
/// Its properties can be observed with the framework Observation (`withObservationTracking`, SwiftUI), each by itself,
/// whatever changes it. Observers are called after the change, on the thread that made it. `withObservationTracking`
/// registers an observer only after its closure has read: where other threads change the model, read once more after
/// the call, or a change in between is missed.
///
/// Edits are only in memory until they are saved. A model with unsaved edits stays alive until it is saved or reverted,
/// or the database is closed.
open class Model: @unchecked Sendable {
    /// The document of the model.
    public let document: Document
    /// The models of the same database.
    public let context: ModelContext
    let state: Locked<ModelState>
    /// The observers of properties.
    let observers = ObservationRegistrar()

    /// Only called by `ModelContext`. A subclass overrides it only if it has properties without initial values.
    public required init(_ seed: ModelSeed) {
        document = seed.document
        context = seed.context
        state = Locked(ModelState(seed.contents))
    }

    deinit { context.forget(document) }

    // MARK: - For subclasses

    /// Called right before the model is saved in any way, inside the transaction, for instance to set a time stamp. Its
    /// changes are saved, too. It may use the database; saving this model again from here does nothing.
    ///
    /// - Parameter changedNames: the properties that differ from those in the database.
    /// - Throws: an error refuses the save, which throws it.
    open func willSave(changedNames: PropertyNames) throws {}

    /// The content of the tombstone when the document is deleted: empty, unless overridden.
    ///
    /// - Throws: an error refuses the deletion.
    open func propertiesToSaveForDeletion() throws -> JSONObject { [:] }

    /// Called after the model has taken a revision that other code saved. No lock is held.
    open func didReload() {}
}

/// What a model is made of: handed from `ModelContext` to `Model.init`.
public struct ModelSeed: Sendable {
    let document: Document
    let context: ModelContext
    let contents: SavedContents
}
