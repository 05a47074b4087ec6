internal import SetteeDocumentValues
internal import SetteeEngine
internal import StorageProtocol

/// What a value became.
struct EncodedForm {
    private(set) var members: JSONObject
    let declared: DeclaredMembers?
    /// What the value says of its document.
    let id: JSONValue?
    let revision: JSONValue?
    let isDeleted: JSONValue?
    /// Nil where the value has none; for one that does not declare them this says nothing.
    let attachments: JSONValue?

    init(_ members: JSONObject, _ declared: DeclaredMembers?) {
        self.members = members
        self.declared = declared
        id = self.members.takeSpecial("_id")
        revision = self.members.takeSpecial("_rev")
        isDeleted = self.members.takeSpecial("_deleted")
        attachments = self.members.takeSpecial(SpecialMembers.attachmentsName)
    }

    /// - Throws: `badRequest` (400) for another ID than the document's, or where the value is to delete it; `conflict`
    ///   (409) where the value was read from a revision that somebody else has replaced.
    func check(id known: String, _ state: ModelState) throws(StorageError) {
        if let id, id.stringValue.map({ $0.utf8.elementsEqual(known.utf8) }) != true {
            throw StorageError(
                .badRequest,
                "The value's '_id' is not the document's ID. Ask for the document of that ID, or leave '_id' out."
            )
        }
        if let revision, !state.isOwn(revision.stringValue) {
            throw StorageError(
                .conflict,
                "The value's '_rev' is not the revision that the model follows. Read the value again and repeat the "
                    + "change."
            )
        }
        if let isDeleted, isDeleted != false {
            throw StorageError(.badRequest, "A document is not deleted by its '_deleted'. Call 'delete()'.")
        }
    }
}

extension JSONObject {
    /// Takes a member out; null counts as absent.
    fileprivate mutating func takeSpecial(_ name: String) -> JSONValue? {
        guard let value = remove(name), !value.isNull else { return nil }
        return value
    }
}
