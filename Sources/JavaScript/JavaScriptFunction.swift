/// The source of one function of a design document.
package struct JavaScriptFunction: Hashable, Sendable {
    /// `function (doc) { ... }` or `doc => ...`. A semicolon may follow.
    package let source: String
    /// What the function belongs to: the database and the design document, for example. Functions with another scope or
    /// source share nothing, not even their global variables.
    package let scope: String

    /// A JSON object in which `require` finds CommonJS modules: `a/b` is the text at its member `b` of `a`. Nil: there
    /// are none.
    package let modules: String?

    package init(_ source: String, scope: String, modules: String? = nil) {
        self.source = source
        self.scope = scope
        self.modules = modules
    }

    /// What is compiled: the source as an expression. Nil: it is too long, or contains U+0000.
    var expression: [UInt8]? {
        var text = Array(source.utf8)
        while let last = text.last, last == UInt8(ascii: ";") || last == 0x20 || 0x09...0x0D ~= last {
            text.removeLast()
        }
        guard text.count < JavaScriptWire.sourceLimit, !text.contains(0) else { return nil }
        // The line feed ends a comment.
        return Array("(".utf8) + text + Array("\n)".utf8)
    }

    var lineCount: Int { source.utf8.reduce(1) { $0 + ($1 == 0x0A ? 1 : 0) } }
}
