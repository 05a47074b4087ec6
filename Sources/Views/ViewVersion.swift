internal import SetteeDocumentValues
internal import SetteeEngine
internal import SetteeIndexes
internal import StorageProtocol

/// The versions of views: canonical JSON, `[kind, version, document type, order]`.
extension IndexVersion {
    /// The version of a function in the program.
    init(closure version: String, documentType: String?, collation: ViewCollation) {
        self.init("map", version, documentType, collation)
    }

    /// The version of a stored definition, which is its text.
    init(definition text: String, documentType: String?, collation: ViewCollation) {
        self.init("definition", text, documentType, collation)
    }

    /// The version of a function that gets many documents at a time.
    init(batch version: String, documentType: String?, collation: ViewCollation) {
        self.init("batch", version, documentType, collation)
    }

    private init(_ kind: String, _ version: String, _ documentType: String?, _ collation: ViewCollation) {
        let type = documentType.map { JSONValue.string($0) } ?? .null
        let parts: [JSONValue] = [.string(kind), .string(version), type, .string(collation.rawValue)]
        self.init(stored: JSONValue.array(parts).description)
    }

    private var parts: [JSONValue] { (try? JSONValue(parsing: text))?.arrayValue ?? [] }

    /// The version as the program or the definition names it.
    var name: String { parts.count == 4 ? parts[1].stringValue ?? text : text }

    /// Whether it is that of a function that gets many documents at a time.
    var isOfBatches: Bool { parts.count == 4 && parts[0] == "batch" }

    /// The order of an index of this version.
    var collation: ViewCollation {
        parts.count == 4 ? parts[3].stringValue.flatMap(ViewCollation.init(rawValue:)) ?? .unicode : .unicode
    }
}
