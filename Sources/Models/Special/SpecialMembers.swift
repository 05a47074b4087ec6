internal import SetteeDocumentValues
internal import SetteeEngine
internal import StorageProtocol

/// The members of a document that are the database's, for types that declare them: they are not among the properties.
struct SpecialMembers: Sendable {
    let id: String
    let revision: RevisionID?
    let isDeleted: Bool
    /// As stubs, also those that are not saved yet.
    let attachments: JSONValue?

    static let attachmentsName = "_attachments"

    /// The member that a type asks for by its name; nil for all other names, and where there is none.
    subscript(name: String) -> JSONValue? {
        switch name {
        case "_id": .string(id)
        case "_rev": revision.map { .string($0.string) }
        case "_deleted": .bool(isDeleted)
        case SpecialMembers.attachmentsName: attachments
        default: nil
        }
    }

    /// Whether a type declares any of them.
    static func areDeclared(by declared: DeclaredMembers?) -> Bool {
        guard let declared else { return false }
        return ["_id", "_rev", "_deleted", attachmentsName].contains { declared.names($0) }
    }
}

extension SpecialMembers {
    init(of revision: SavedRevision, _ properties: JSONObject) {
        self.init(
            id: revision.documentID.string,
            revision: revision.id,
            isDeleted: revision.isDeleted,
            attachments: properties[SpecialMembers.attachmentsName]
        )
    }

    init(of state: ModelState, id: String) {
        self.init(id: id, revision: state.revision, isDeleted: state.isDeleted, attachments: state.attachmentStubs)
    }
}

extension JSONObject {
    /// Without the attachments, which only those get who ask for them by name.
    var withoutAttachments: JSONObject {
        var rest = self
        rest.remove(SpecialMembers.attachmentsName)
        return rest
    }
}
