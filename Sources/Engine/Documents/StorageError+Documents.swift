package import StorageProtocol

/// Errors that several calls on documents and folders throw, with the same message.
extension StorageError {
    /// 404: no revision of the document was ever saved, or it was purged.
    package static var noDocument: StorageError { StorageError(.notFound, "There is no document of this ID.") }

    /// 496: the document's current revision is a tombstone.
    package static var documentIsDeleted: StorageError { StorageError(.deleted, "The document is deleted.") }

    /// 495: a database's folder is given by a URL of another scheme than `file`.
    package static var noFileURL: StorageError {
        StorageError(.badParameter, "A database's folder must be a file URL.")
    }

    /// 591: a stored revision tree without a revision.
    package static func emptyTree(_ id: DocumentID) -> StorageError {
        .corrupt("The revision tree of document '\(id)' is empty")
    }
}
