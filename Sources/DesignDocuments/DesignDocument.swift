internal import SetteeDocumentValues
internal import SetteeEngine
internal import StorageProtocol

/// The current revision of a design document; also if that is a tombstone.
struct DesignDocument: Sendable {
    static let prefix = "_design/"
    static let javaScript = "javascript"
    /// CommonJS modules for map functions.
    static let library = "lib"

    /// Without `_design/`.
    let name: String
    /// Nil: it is not saved yet.
    let revision: RevisionID?
    let isDeleted: Bool
    private let members: JSONObject
    /// Where functions find modules, as JSON: the whole document, for all but map functions. Nil: nothing in it has the
    /// word `require`.
    private let text: String?
    /// The same for map functions: `views.lib`.
    private let libraryText: String?

    init(_ revision: SavedRevision) throws(StorageError) {
        name = String(
            decoding: Array(revision.documentID.string.utf8.dropFirst(DesignDocument.prefix.utf8.count)),
            as: UTF8.self
        )
        self.revision = revision.id
        isDeleted = revision.isDeleted
        members = revision.isDeleted ? [:] : try revision.properties
        let json = String(decoding: revision.json, as: UTF8.self)
        text = DesignDocument.hasRequire(json) ? json : nil
        libraryText = text == nil ? nil : DesignDocument.library(of: members)
    }

    /// A document that is not saved yet.
    init(name: String, _ members: JSONObject) {
        self.name = name
        revision = nil
        isDeleted = false
        self.members = members
        text = nil
        libraryText = DesignDocument.library(of: members)
    }

    private static func hasRequire(_ source: String) -> Bool { source.utf8.contains("require".utf8) }

    private static func library(of members: JSONObject) -> String? {
        let library: JSONObject = members["views"]?[library].map { [DesignDocument.library: $0] } ?? [:]
        guard let json = try? JSONValue.object(["views": .object(library)]).canonicalBytes() else { return nil }
        return String(decoding: json, as: UTF8.self)
    }

    /// The modules of a function; nil for one that has no `require`, whose identity they are no part of.
    func modules(of source: String) -> String? { DesignDocument.hasRequire(source) ? text : nil }

    /// The modules of a map function.
    func modules(ofViewWith map: String) -> String? { DesignDocument.hasRequire(map) ? libraryText : nil }

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
        var definition = try DesignView(view, common: members["options"]?.objectValue, name: name)
        definition?.modules = (view["map"]?.stringValue).flatMap { modules(ofViewWith: $0) }
        return definition
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
