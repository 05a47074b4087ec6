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

// Values that are saved without a model.
extension EncodedForm {
    /// - Throws: `EncodingError`; `badJSON` (493) if the value's JSON is not an object.
    init<Value: Encodable>(encoding value: Value) throws {
        let (json, declared) = try JSONValueEncoder().encodeRecording(value)
        // An encoder is not told of a nil that a type leaves out by itself; its decoder asks for the member.
        let requested = (Value.self as? any Decodable.Type).flatMap { EncodedForm.members(requestedBy: $0, of: json) }
        self.init(try json.documentBody, .union(declared, requested))
    }

    /// Returns nil if the type cannot decode what it encodes.
    private static func members<Value: Decodable>(
        requestedBy type: Value.Type,
        of json: JSONValue
    ) -> DeclaredMembers? {
        let special = SpecialMembers(id: "", revision: nil, isDeleted: false, attachments: nil)
        return try? JSONValueDecoder().decodeRecording(type, from: json, special).1
    }

    /// Returns the body to be saved over a revision that has the body `old`.
    func body(over old: JSONObject) -> JSONObject {
        var body = ModelState(SavedContents(properties: old)).properties(with: self, declared)
        if let id { body["_id"] = id }
        if let revision { body["_rev"] = revision }
        if let isDeleted { body["_deleted"] = isDeleted }
        return body
    }
}

extension JSONValue {
    /// - Throws: `badJSON` (493) if it is not an object.
    var documentBody: JSONObject {
        get throws(StorageError) {
            guard case .object(let members) = self else {
                throw StorageError(
                    .badJSON,
                    "A document is a JSON object. Save a value whose JSON is one, such as a struct's."
                )
            }
            return members
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
