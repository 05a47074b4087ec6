internal import SetteeDocumentValues
internal import SetteeEngine
internal import StorageProtocol

/// The database's own members of a document, for types that declare them. They are not among the properties.
struct SpecialMembers: Sendable {
    let id: String
    let revision: RevisionID?
    let isDeleted: Bool
    /// As stubs, including those not saved yet.
    let attachments: JSONValue?

    static let attachmentsName = "_attachments"

    /// Returns the member that a type requests by name; nil for all other names, and if there is none.
    subscript(name: String) -> JSONValue? {
        switch name {
        case "_id": .string(id)
        case "_rev": revision.map { .string($0.string) }
        case "_deleted": .bool(isDeleted)
        case SpecialMembers.attachmentsName: attachments
        default: nil
        }
    }

    /// Returns whether a type declares any of them.
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
    /// The properties without the attachments, which are only available by name.
    var withoutAttachments: JSONObject {
        var rest = self
        rest.remove(SpecialMembers.attachmentsName)
        return rest
    }
}
