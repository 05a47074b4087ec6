public import SetteeEngine
public import StorageProtocol

/// A reference to another document, stored as its ID.
///
/// ```swift
/// struct Comment: Codable { var text: String; var post: Reference<Post> }
/// let post = try comment.post.resolve(in: db)             // ModelDocument<Post>?
/// ```
///
/// `Target` is a `Codable` type or a model class. Nothing is read before `resolve`, and the document need not exist.
public struct Reference<Target>: Hashable, Sendable {
    /// The ID of the document.
    public let documentID: DocumentID

    /// Creates a reference to the document with an ID.
    ///
    /// - Throws: `badID` (494) if the ID is not allowed.
    public init(_ id: some DocumentIDConvertible) throws(StorageError) {
        documentID = try DocumentID(id.documentIDText)
    }
}

extension Reference: Codable {
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        do {
            documentID = try DocumentID(container.decode(String.self))
        } catch let error as StorageError {
            throw DecodingError.dataCorrupted(
                .init(codingPath: decoder.codingPath, debugDescription: error.message, underlyingError: error)
            )
        }
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(documentID.string)
    }
}

extension Reference where Target: Codable & Sendable {
    /// Creates a reference to a document.
    ///
    /// - Throws: `badID` (494) if the document's ID is not allowed.
    public init(_ document: ModelDocument<Target>) throws(StorageError) { try self.init(document.id) }

    /// Returns the document; nil if it is missing or deleted.
    ///
    /// - Throws: `DecodingError` if it has another form; the errors of reading.
    public func resolve(in database: Database) throws -> ModelDocument<Target>? {
        let document = try database.models.existing(ModelDocument<Target>.self, id: documentID)
        _ = try document?.read()
        return document
    }
}

extension Reference where Target: Model {
    /// Creates a reference to a model's document.
    ///
    /// - Throws: `badID` (494) if the document's ID is not allowed.
    public init(_ model: Target) throws(StorageError) { try self.init(model.id) }

    /// Returns the model; nil if the document is missing or deleted. The model has the class that the document's `type`
    /// is registered for, if that is a `Target`.
    ///
    /// - Throws: the errors of reading.
    public func resolve(in database: Database) throws(StorageError) -> Target? {
        try database.models.existing(Target.self, id: documentID)
    }
}

extension Sequence {
    /// Returns the documents of the references, in the same order, with nil for each one that is missing or deleted.
    /// Inside `Database.read` all are of one state of the database.
    ///
    /// - Throws: like `Reference.resolve`.
    public func resolve<Target: Codable & Sendable>(in database: Database) throws -> [ModelDocument<Target>?]
    where Element == Reference<Target> {
        try map { try $0.resolve(in: database) }
    }

    /// Returns the models of the references, in the same order, with nil for each one that is missing or deleted.
    ///
    /// - Throws: like `Reference.resolve`.
    public func resolve<Target: Model>(in database: Database) throws -> [Target?] where Element == Reference<Target> {
        try map { try $0.resolve(in: database) }
    }
}
