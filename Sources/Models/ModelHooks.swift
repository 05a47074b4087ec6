public import SetteeDocumentValues
internal import StorageProtocol

/// Hooks with which a `Codable` type takes part in saving and deleting its documents. The default implementations do
/// nothing.
public protocol ModelHooks: Codable, Sendable {
    /// Called right before a document of this type is saved in any way, inside the transaction, for instance to set a
    /// time stamp. Its changes are saved, too.
    ///
    /// - Parameter changedNames: the properties that differ from those in the database.
    /// - Throws: an error refuses the save, which throws it.
    mutating func willSave(changedNames: PropertyNames) throws

    /// The content of the tombstone when the document is deleted.
    ///
    /// - Throws: an error refuses the deletion.
    func propertiesToSaveForDeletion() throws -> JSONObject
}

extension ModelHooks {
    public mutating func willSave(changedNames: PropertyNames) throws {}
    public func propertiesToSaveForDeletion() throws -> JSONObject { [:] }
}
