internal import HTTPTypes
internal import SetteeCouchProtocol
internal import SetteeEngine
internal import StorageProtocol

/// An attachment by its name.
extension Exchange {
    func attachment(_ name: String, of text: String, in served: ServedDatabase) async throws -> Answer {
        let id = try Exchange.documentID(text)
        guard !isRead else { return try await getAttachment(name, of: id, in: served) }
        guard name.utf8.first != UInt8(ascii: "_") else {
            throw CouchError.badRequest("The name of an attachment must not begin with `_`.")
        }
        var wanted = try WriteOptions(options)
        try wanted.require(ifMatch: header(.ifMatch))
        if method == .put { return try await putAttachment(name, of: id, wanted, in: served) }
        return try await deleteAttachment(name, of: id, wanted, in: served)
    }
}
