package import SetteeDocumentValues
package import StorageProtocol

/// Gives the text of a bulk import piece by piece, nil at its end.
package typealias ImportChunks = @Sendable () throws(StorageError) -> [UInt8]?

/// What a bulk import reads, and how.
package struct ImportOptions: Sendable {
    /// How documents stand in the text.
    package var layout = JSONElementSplitter.Layout.automatic
    /// Where in the text's one value the array or object of documents is; nil: the value itself.
    package var pointer: JSONPointer?
    /// The member that holds a document's ID, a string or a number; nil, or missing in a document: `_id`, else the
    /// member name in an object of objects, else a new UUID.
    package var idField: String?
    /// Documents per transaction. A transaction ends sooner where they are large.
    package var batchCount = 1000

    package init() {}

    /// Text per transaction, in bytes, beyond which it ends.
    static let batchLength = 8 << 20
}

/// A document that could not be imported.
package struct ImportFailure: Sendable {
    /// The line of the text on which the document begins, from 1.
    package var line: Int
    /// The byte of the text at which it begins, from 0.
    package var offset: Int
    /// The document's ID, where it was known.
    package var id: String?
    package var error: StorageError
}

/// What an import did.
package struct ImportOutcome: Sendable {
    /// Documents that were saved; each is as durable as the database's commits are.
    package var documents = 0
    /// Documents that were refused.
    package var failed = 0
    /// Why the import ended before the text did; what `documents` counts stays.
    package var interruption: StorageError?
}
