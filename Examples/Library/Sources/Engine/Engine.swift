import Models
import Settee

/// What this app does with its documents.
public struct Engine {
    private let database: Database

    public init(_ database: Database) {
        self.database = database
    }

    /// Keeps a document under an ID, whatever was there.
    public func keep(_ document: Models.Document, as id: String) throws {
        let stored = try database.document(of: Models.Document.self, id: id)
        stored.model = document
        try stored.save()
    }

    /// The document with this ID.
    public func document(_ id: String) throws -> Models.Document? {
        try database.document(of: Models.Document.self, id: id).model
    }

    /// Settee's handle of the same document.
    public func handle(_ id: String) throws -> Settee.Document {
        database[id]
    }
}
