internal import SetteeDocumentValues
internal import SetteeJavaScript
internal import SetteeViews
internal import StorageProtocol

extension Reduce {
    /// The built-in function that a design document names; nil if there is none. Tools that keep each function in a
    /// file send the line's end, too.
    init?(builtIn text: String) {
        var name = text[...]
        while name.last?.isWhitespace ?? false { name.removeLast() }
        self.init(named: String(name))
    }

    /// The reduce function of a view: a built-in one, or JavaScript, whose version is a hash of its source.
    ///
    /// - Throws: `compilation` for an unknown built-in function.
    init(design source: String, scope: String, _ pool: JavaScriptPool) throws {
        if source.utf8.first == UInt8(ascii: "_") {
            guard let known = Reduce(builtIn: source) else {
                throw DesignError.compilation("There is no built-in reduce function of this name.")
            }
            self = known
            return
        }
        let function = JavaScriptFunction(source, scope: scope)
        let version = try DesignHash.text([.string(DesignDocument.javaScript), .string(source)])
        // It may run inside a write transaction.
        self.init(name: DesignDocument.javaScript, version: version) { input in
            try pool.withWorker(isUrgent: true) { worker throws(JavaScriptError) in
                try worker.reduce(function, keys: input.keys, values: input.values)
            }
        }
    }
}
