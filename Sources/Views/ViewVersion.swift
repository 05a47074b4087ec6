internal import SetteeDocumentValues
internal import SetteeEngine
internal import StorageProtocol

/// All that decides which rows a map function's index holds, but the collation's own version: indexes of one version
/// hold the same rows.
struct ViewVersion: Sendable, Equatable {
    /// The version's text as it is stored: canonical JSON, `[kind, version, document type, order]`.
    let text: String

    init(stored text: String) { self.text = text }

    /// Of a function in the program.
    init(closure version: String, documentType: String?, collation: ViewCollation) {
        self.init("map", version, documentType, collation)
    }

    /// Of a stored definition, whose text is its version.
    init(definition text: String, documentType: String?, collation: ViewCollation) {
        self.init("definition", text, documentType, collation)
    }

    private init(_ kind: String, _ version: String, _ documentType: String?, _ collation: ViewCollation) {
        let type = documentType.map { JSONValue.string($0) } ?? .null
        let parts: [JSONValue] = [.string(kind), .string(version), type, .string(collation.rawValue)]
        text = JSONValue.array(parts).description
    }

    private var parts: [JSONValue] { (try? JSONValue(parsing: text))?.arrayValue ?? [] }

    /// What the program or the definition calls its version.
    var name: String { parts.count == 4 ? parts[1].stringValue ?? text : text }

    /// The order of an index of this version.
    var collation: ViewCollation {
        parts.count == 4 ? parts[3].stringValue.flatMap(ViewCollation.init(rawValue:)) ?? .unicode : .unicode
    }

    static func == (a: ViewVersion, b: ViewVersion) -> Bool { a.text.utf8.elementsEqual(b.text.utf8) }
}
