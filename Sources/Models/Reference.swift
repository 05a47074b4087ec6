public import SetteeEngine
public import StorageProtocol

/// A reference to another document, stored as its ID.
///
/// ```swift
/// struct Comment: Codable { var text: String; var post: Reference<Post> }
/// let post = try comment.post.resolve(in: db)             // ModelDocument<Post>?
/// ```
///
/// `Target` is a `Codable` type or a class of models. Nothing is read before `resolve`, and the document need not
/// exist.
public struct Reference<Target>: Hashable, Sendable {
    /// The ID of the document.
    public let documentID: DocumentID

    /// A reference to the document of an ID.
    ///
    /// - Throws: `badID` (494) where the ID is not allowed.
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
    /// A reference to a document.
    ///
    /// - Throws: `badID` (494) where the document's ID is not allowed.
    public init(_ document: ModelDocument<Target>) throws(StorageError) { try self.init(document.id) }

    /// The document, nil where it is missing or deleted.
    ///
    /// - Throws: `DecodingError` where it has another form; the errors of reading.
    public func resolve(in database: Database) throws -> ModelDocument<Target>? {
        let document = try database.models.existing(ModelDocument<Target>.self, id: documentID)
        _ = try document?.read()
        return document
    }
}

extension Reference where Target: Model {
    /// A reference to a model's document.
    ///
    /// - Throws: `badID` (494) where the document's ID is not allowed.
    public init(_ model: Target) throws(StorageError) { try self.init(model.id) }

    /// The model, of the class that the document's `type` is registered for where that is a `Target`; nil where the
    /// document is missing or deleted.
    ///
    /// - Throws: the errors of reading.
    public func resolve(in database: Database) throws(StorageError) -> Target? {
        try database.models.existing(Target.self, id: documentID)
    }
}

extension Sequence {
    /// The documents of references, in their order; nil in the place of one that is missing or deleted. All of one
    /// state of the database inside `Database.read`.
    ///
    /// - Throws: as `Reference.resolve`.
    public func resolve<Target: Codable & Sendable>(in database: Database) throws -> [ModelDocument<Target>?]
    where Element == Reference<Target> {
        try map { try $0.resolve(in: database) }
    }

    /// The models of references, in their order; nil in the place of one that is missing or deleted.
    ///
    /// - Throws: as `Reference.resolve`.
    public func resolve<Target: Model>(in database: Database) throws -> [Target?] where Element == Reference<Target> {
        try map { try $0.resolve(in: database) }
    }
}
