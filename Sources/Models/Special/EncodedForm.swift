internal import SetteeDocumentValues
internal import SetteeEngine
internal import StorageProtocol

/// The encoded form of a value.
struct EncodedForm {
    private(set) var members: JSONObject
    let declared: DeclaredMembers?
    /// The value's own `_id`.
    let id: JSONValue?
    let revision: JSONValue?
    let isDeleted: JSONValue?
    /// Nil if the value has none. Meaningless if the type does not declare attachments.
    let attachments: JSONValue?

    init(_ members: JSONObject, _ declared: DeclaredMembers?) {
        self.members = members
        self.declared = declared
        id = self.members.takeSpecial("_id")
        revision = self.members.takeSpecial("_rev")
        isDeleted = self.members.takeSpecial("_deleted")
        attachments = self.members.takeSpecial(SpecialMembers.attachmentsName)
    }

    /// - Throws: `badRequest` (400) if the ID is not the document's, or the value would delete the document; `conflict`
    ///   (409) if the revision that the value was read from was replaced by one saved elsewhere.
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
    /// Removes and returns a member; null counts as missing.
    fileprivate mutating func takeSpecial(_ name: String) -> JSONValue? {
        guard let value = remove(name), !value.isNull else { return nil }
        return value
    }
}
