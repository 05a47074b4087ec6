internal import SetteeCouchProtocol
internal import SetteeDocumentValues
internal import SetteeEngine
internal import StorageProtocol

/// The body of `_bulk_docs`: the documents, parsed one by one, so that one that cannot be read is an error of its own.
struct BulkDocuments: Sendable {
    /// A document, or why it cannot be taken.
    var documents: [Result<DocumentBody, CouchError>]
    /// The other members.
    var options: JSONObject

    /// - Throws: `bad_request` (400) if the text is not an object with an array `docs`.
    init(_ json: [UInt8]) throws {
        let parts = try ObjectParts(json, array: "docs")
        options = parts.members
        documents = parts.elements.map { element in
            do throws(StorageError) {
                return .success(try DocumentBody(wire: unsafe json.span.bytes.extracting(element)))
            } catch {
                return .failure(CouchError(error))
            }
        }
    }
}
