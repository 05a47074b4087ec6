/// HTML and SVG text. Everything from a file goes through `escaped`, so that no name becomes markup.
struct Markup {
    private(set) var text = ""

    static func escaped(_ text: String) -> String {
        var escaped = ""
        for scalar in text.printable.unicodeScalars {
            switch scalar {
            case "&": escaped += "&amp;"
            case "<": escaped += "&lt;"
            case ">": escaped += "&gt;"
            case "\"": escaped += "&quot;"
            case "'": escaped += "&#39;"
            default: escaped.unicodeScalars.append(scalar)
            }
        }
        return escaped
    }

    /// Adds an element and what `content` adds. Names are ours.
    mutating func element(
        _ name: String,
        _ attributes: KeyValuePairs<String, String> = [:],
        _ content: (inout Markup) -> Void
    ) {
        text += "<\(name)\(Markup.list(attributes))>"
        content(&self)
        text += "</\(name)>"
    }

    mutating func element(_ name: String, _ attributes: KeyValuePairs<String, String> = [:], text: String) {
        element(name, attributes) { $0.add(text) }
    }

    /// Adds an element without content: `<line ... />` in SVG, `<meta ...>` in HTML.
    mutating func empty(_ name: String, _ attributes: KeyValuePairs<String, String>) {
        self.text += "<\(name)\(Markup.list(attributes))/>"
    }

    mutating func add(_ text: String) { self.text += Markup.escaped(text) }

    mutating func line() { text += "\n" }

    /// Adds text of ours as it is.
    mutating func raw(_ text: StaticString) { self.text += "\(text)" }

    private static func list(_ attributes: KeyValuePairs<String, String>) -> String {
        attributes.map { " \($0.key)=\"\(escaped($0.value))\"" }.joined()
    }
}
