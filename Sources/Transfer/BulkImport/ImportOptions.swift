package import SetteeDocumentValues
package import StorageProtocol

/// Returns the text of a bulk import piece by piece, nil at its end.
package typealias ImportChunks = @Sendable () throws(StorageError) -> [UInt8]?

/// What a bulk import reads, and how.
package struct ImportOptions: Sendable {
    /// How the documents are arranged in the text.
    package var layout = JSONElementSplitter.Layout.automatic
    /// The position of the array or object of documents within the single value of the text; nil: the value itself.
    package var pointer: JSONPointer?
    /// The member that holds a document's ID, a string or a number. If nil, or missing in a document: `_id`, else the
    /// member name in an object of objects, else a new UUID.
    package var idField: String?
    /// Whether rows of CouchDB's answers are recognised, so that a row's document is imported instead of the row.
    package var takesRows = false
    /// Whether the documents are MongoDB's Extended JSON, whose values become plain ones.
    package var isExtendedJSON = false
    /// Documents per transaction. A transaction ends sooner if they are large.
    package var batchCount = 1000
    /// How many documents are gathered because their IDs come in no order.
    package var gatheredCount = 30_000
    /// How many of the gathered documents are saved in one transaction, in the order of their IDs. An engine may hold a
    /// page in memory for each of them until the commit.
    package var transactionCount = 10_000
    /// How many bytes of memory they may take.
    package var gatheredLength = 32 << 20

    package init() {}

    /// A transaction ends after this many bytes of text.
    static let batchLength = 8 << 20
}

/// A document that could not be imported.
package struct ImportFailure: Sendable {
    /// The line of the text on which the document begins, counted from 1.
    package var line: Int
    /// The byte of the text at which it begins, counted from 0.
    package var offset: Int
    /// The document's ID, if it could be determined.
    package var id: String?
    package var error: StorageError
}

/// What an import did.
package struct ImportOutcome: Sendable {
    /// Documents that were saved, with the durability of the database.
    package var documents = 0
    /// Documents that were refused.
    package var failed = 0
    /// Why the import ended before the end of the text. The documents in `documents` are kept.
    package var interruption: StorageError?
}
