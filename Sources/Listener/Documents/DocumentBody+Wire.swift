internal import SetteeCouchProtocol
internal import SetteeDocumentValues
internal import SetteeEngine
internal import StorageProtocol

extension DocumentBody {
    /// Parses a document as a client sends it. That of a local document may have a revision as CouchDB writes it,
    /// `0-N`.
    ///
    /// - Throws: as `init(parsing:)`.
    init(wire json: RawSpan) throws(StorageError) {
        do throws(StorageError) {
            try self.init(parsing: json)
        } catch {
            guard error.code == .badRequest, var object = try? JSONValue(parsing: json).objectValue,
                let text = object["_rev"]?.stringValue, text.hasPrefix("0-"), let revision = try? RevisionID(wire: text)
            else { throw error }
            object["_rev"] = .string(revision.string)
            try self.init(object)
        }
    }
}
