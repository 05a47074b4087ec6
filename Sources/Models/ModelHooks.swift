public import SetteeDocumentValues
internal import StorageProtocol

/// What a `Codable` type can say about saving and deleting its documents. Both have default forms that do nothing.
public protocol ModelHooks: Codable, Sendable {
    /// Called right before a document of this type is saved, by whatever means, inside the transaction: the place for a
    /// time stamp. What it changes is saved too.
    ///
    /// - Parameter changedNames: the properties that differ from what the database holds.
    /// - Throws: an error refuses the save, and comes out of it.
    mutating func willSave(changedNames: PropertyNames) throws

    /// What the tombstone is to hold when the document is deleted.
    ///
    /// - Throws: an error refuses the deletion.
    func propertiesToSaveForDeletion() throws -> JSONObject
}

extension ModelHooks {
    public mutating func willSave(changedNames: PropertyNames) throws {}
    public func propertiesToSaveForDeletion() throws -> JSONObject { [:] }
}
