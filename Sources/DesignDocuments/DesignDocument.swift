internal import SetteeDocumentValues
internal import SetteeEngine
internal import StorageProtocol

/// The current revision of a design document; also if that is a tombstone.
struct DesignDocument: Sendable {
    static let prefix = "_design/"
    static let javaScript = "javascript"
    /// CommonJS modules, which are not run.
    private static let library = "lib"

    /// Without `_design/`.
    let name: String
    let revision: RevisionID
    let isDeleted: Bool
    private let members: JSONObject

    init(_ revision: SavedRevision) throws(StorageError) {
        name = String(
            decoding: Array(revision.documentID.string.utf8.dropFirst(DesignDocument.prefix.utf8.count)),
            as: UTF8.self
        )
        self.revision = revision.id
        isDeleted = revision.isDeleted
        members = revision.isDeleted ? [:] : try revision.properties
    }

    var id: String { DesignDocument.prefix + name }

    var language: String {
        switch members["language"] {
        case nil: DesignDocument.javaScript
        case .string(let name): name
        default: ""
        }
    }

    /// Whether its functions can be run: it is live and written in JavaScript.
    var isRunnable: Bool { !isDeleted && language == DesignDocument.javaScript }

    /// - Throws: `unsupportedLanguage`.
    func requireLanguage() throws(DesignError) {
        guard language == DesignDocument.javaScript else { throw .unsupportedLanguage(language) }
    }

    /// The names of the views, in canonical order.
    var viewNames: [String] {
        guard let views = members["views"]?.objectValue else { return [] }
        return views.keys.filter { $0 != DesignDocument.library && views[$0]?["map"]?.stringValue != nil }
    }

    /// - Throws: `compilation` if the view is malformed.
    func view(_ name: String) throws(DesignError) -> DesignView? {
        guard name != DesignDocument.library, let view = members["views"]?.objectValue?[name]?.objectValue else {
            return nil
        }
        return try DesignView(view, common: members["options"]?.objectValue, name: name)
    }

    /// The source of a filter.
    func filter(_ name: String) -> String? { members["filters"]?.objectValue?[name]?.stringValue }

    /// The source of `validate_doc_update`, empty if it is something else than a text; nil: there is none.
    var validation: String? {
        switch members["validate_doc_update"] {
        case nil, .null: nil
        case .string(let source): source
        default: ""
        }
    }
}
