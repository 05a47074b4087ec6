public import SetteeDocumentValues

/// The options of a request by their names: from the query, from the members of a JSON body, or both.
///
/// Of an option given twice in one source the last counts, and the query counts more than the body, as in CouchDB.
/// Names that nobody asks for are ignored, and `startkey` and its like are other names for `start_key`. Whoever reads
/// an option says of what type it is. In a query all values are text, and those that CouchDB writes as JSON are parsed
/// then.
public struct RequestOptions: Sendable {
    private enum Value {
        case text(String)
        case json(JSONValue)
    }

    private var values: [TargetText: Value] = [:]

    private static let synonyms: [TargetText: TargetText] = [
        "startkey": "start_key", "endkey": "end_key", "startkey_docid": "start_key_doc_id",
        "endkey_docid": "end_key_doc_id",
    ]

    /// - Parameters:
    ///   - query: The items of a query or form.
    ///   - body: The members of a JSON body.
    /// - Complexity: O(items and members).
    public init(query: [QueryItem], body: JSONObject = JSONObject()) {
        for (name, value) in body { set(TargetText(name), .json(value)) }
        for item in query { set(item.name, .text(item.value.string)) }
    }

    private mutating func set(_ name: TargetText, _ value: Value) {
        values[RequestOptions.synonyms[name] ?? name] = value
    }

    /// All options as JSON, for functions that take what they know. Values of a query are text.
    public var parameters: JSONObject {
        var parameters = JSONObject()
        for (name, value) in values.sorted(by: { $0.key.string < $1.key.string }) {
            switch value {
            case .text(let text): parameters[name.string] = .string(text)
            case .json(let json): parameters[name.string] = json
            }
        }
        return parameters
    }

    /// Whether an option is given, whatever its value.
    func isGiven(_ name: TargetText) -> Bool { values[name] != nil }

    /// The number of an option that a body gives as a whole number, nil otherwise.
    func number(_ name: TargetText) -> Int64? {
        if case .json(let value) = values[name] { value.intValue } else { nil }
    }

    /// The text of an option, nil if it is not given.
    ///
    /// - Throws: `query_parse_error` (400) if it is JSON of another type.
    public func text(_ name: TargetText) throws(CouchError) -> String? {
        switch values[name] {
        case nil: return nil
        case .text(let text), .json(.string(let text)): return text
        case .json: throw RequestOptions.invalid(name)
        }
    }

    /// The truth value of an option, nil if it is not given. In text, the case of letters does not matter.
    ///
    /// - Throws: `query_parse_error` (400) for anything but `true` and `false`.
    public func flag(_ name: TargetText) throws(CouchError) -> Bool? {
        guard let value = values[name] else { return nil }
        switch value {
        case .json(.bool(let flag)): return flag
        case .text(let text), .json(.string(let text)):
            switch ASCII.lowercase(text.utf8) {
            case "true": return true
            case "false": return false
            default: break
            }
        case .json: break
        }
        throw .queryParse("Invalid boolean parameter: \(shown(value))")
    }

    /// The number of an option, from 0; the highest there is if it is too large; nil if it is not given.
    ///
    /// - Throws: `query_parse_error` (400) for anything but a whole number, and below 0.
    public func count(_ name: TargetText) throws(CouchError) -> Int? {
        guard let value = values[name] else { return nil }
        switch value {
        case .text(let text), .json(.string(let text)):
            let isNegative = text.utf8.first == ASCII.dash
            if let number = ASCII.number(text.utf8.dropFirst(isNegative ? 1 : 0)) {
                if !isNegative || number == 0 { return Int(clamping: number) }
                throw .queryParse("Invalid value for positive integer: \(shown(value))")
            }
        case .json(.uint): return .max
        case .json(.longInteger(let number)) where number.doubleValue > 0: return .max
        case .json(let json):
            if let number = json.intValue {
                if number >= 0 { return Int(clamping: number) }
                throw .queryParse("Invalid value for positive integer: \(shown(value))")
            }
        }
        throw .queryParse("Invalid value for integer: \(shown(value))")
    }

    /// The JSON value of an option, nil if it is not given. In a query it is JSON text.
    ///
    /// - Throws: `bad_request` (400) if the text is not JSON.
    public func json(_ name: TargetText) throws(CouchError) -> JSONValue? {
        switch values[name] {
        case nil: return nil
        case .json(let value): return value
        case .text(let text):
            do {
                return try JSONValue(parsing: text)
            } catch {
                throw .invalidJSON
            }
        }
    }

    /// 400: an option with a value that it cannot have, in the words that CouchDB has for `stale` and `update`.
    static func invalid(_ name: TargetText) -> CouchError { .queryParse("Invalid value for `\(name)`.") }

    /// The value as CouchDB shows it in errors: text in quotes, and numbers. Only what was given for a number or a
    /// truth value is shown, and only its beginning.
    private func shown(_ value: Value) -> String {
        switch value {
        case .text(let text), .json(.string(let text)): "\"\(String(decoding: text.utf8.prefix(40), as: UTF8.self))\""
        case .json(.int(let number)): "\(number)"
        case .json: "not a number or truth value"
        }
    }
}
