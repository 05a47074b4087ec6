internal import Settee

extension ViewDefinition {
    /// A JSON object, with pointers and conditions as on the command line.
    var line: JSONLine {
        var line = JSONLine().strings("keys", keys.map(\.description))
        if let value { line = line.string("value", value.description) }
        if !conditions.isEmpty { line = line.string("where", conditionText) }
        if !requiredPlaces.isEmpty { line = line.strings("required", requiredPlaces.map(\.description)) }
        if let documentType { line = line.string("type", documentType) }
        if let reduce { line = line.string("reduce", reduce) }
        if collation == .raw { line = line.bool("raw", true) }
        return line
    }

    /// The options of `settee view define` that create it.
    var arguments: String {
        var parts = keys.map { "--key \(ShellText.quoted($0.description))" }
        if let value { parts.append("--value \(ShellText.quoted(value.description))") }
        if !conditions.isEmpty { parts.append("--where \(ShellText.quoted(conditionText))") }
        parts += requiredPlaces.map { "--require \(ShellText.quoted($0.description))" }
        if let documentType { parts.append("--type \(ShellText.quoted(documentType))") }
        if let reduce { parts.append("--reduce \(ShellText.quoted(reduce))") }
        if collation == .raw { parts.append("--raw") }
        return parts.joined(separator: " ")
    }

    private var conditionText: String {
        conditions.map { condition in
            let place = condition.place.description
            let isPlain = place.hasPrefix("/") && !place.utf8.contains { $0 <= 0x20 || "=!<>".utf8.contains($0) }
            let shown = isPlain ? place : JSONValue.string(place).description
            return "\(shown) \(condition.comparison.rawValue) \(condition.literal)"
        }.joined(separator: " and ")
    }
}
