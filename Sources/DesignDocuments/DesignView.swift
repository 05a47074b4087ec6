internal import SetteeDocumentValues
internal import SetteeViews
internal import StorageProtocol

/// A view as a design document defines it.
struct DesignView: Sendable, Equatable {
    let map: String
    /// A source, or the name of a built-in function.
    let reduce: String?
    /// Where the map function finds what it requires, as JSON; nil: it requires nothing.
    var modules: String?
    let collation: ViewCollation
    let options: BatchOptions

    /// - Parameters:
    ///   - members: `map`, `reduce` and `options`.
    ///   - common: the options of the design document. Those of the view go first.
    ///   - name: for the message of the error.
    /// - Returns: nil if there is no map function: it is no view, such as `lib`.
    /// - Throws: `compilation` if `reduce` is no text.
    init?(_ members: JSONObject, common: JSONObject?, name: String) throws(DesignError) {
        guard let map = members["map"]?.stringValue else { return nil }
        self.map = map
        switch members["reduce"] {
        case nil, .null: reduce = nil
        case .string(let source): reduce = source
        default: throw .compilation("The reduce function of the view \"\(name)\" is no text.")
        }
        let own = members["options"]?.objectValue
        func option(_ name: String) -> JSONValue? { own?[name] ?? common?[name] }
        collation = option("collation")?.stringValue == "raw" ? .raw : .unicode
        var options: BatchOptions = []
        if option("local_seq")?.boolValue == true { options.insert(.sequences) }
        if option("include_design")?.boolValue == true { options.insert(.designDocuments) }
        self.options = options
    }

    /// Tells apart what decides which rows there are. The reduce function is not part of it: another one leaves the
    /// rows as they are.
    var version: String {
        get throws(StorageError) {
            let own: [JSONValue] = [
                .string(DesignDocument.javaScript), .string(map), .string(collation.rawValue),
                .int(Int64(options.rawValue)),
            ]
            return try DesignHash.text(own + (modules.map { [.string($0)] } ?? []))
        }
    }
}
