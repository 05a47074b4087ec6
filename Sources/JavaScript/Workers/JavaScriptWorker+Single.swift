internal import SetteeDocumentValues
internal import StorageProtocol

extension JavaScriptWorker {
    /// Runs a reduce function.
    ///
    /// - Parameters:
    ///   - keys: the rows' keys as canonical JSON, with the ID of the document; nil: the values are reductions, so that
    ///     the function is called with `rereduce`.
    ///   - values: canonical JSON.
    /// - Returns: the reduction as canonical JSON.
    /// - Throws: any `JavaScriptError`.
    package func reduce(
        _ function: JavaScriptFunction,
        keys: [(key: [UInt8], id: String)]?,
        values: [[UInt8]]
    ) throws(JavaScriptError) -> [UInt8] {
        var arguments = Array("[".utf8)
        if let keys {
            arguments.append(UInt8(ascii: "["))
            for (number, pair) in keys.enumerated() {
                arguments += (number > 0 ? ",[" : "[").utf8
                arguments += pair.key
                arguments.append(UInt8(ascii: ","))
                JSONText.append(pair.id, to: &arguments)
                arguments.append(UInt8(ascii: "]"))
            }
            arguments.append(UInt8(ascii: "]"))
        } else {
            arguments += "null".utf8
        }
        arguments += ",[".utf8
        arguments += values.joined(separator: [UInt8(ascii: ",")])
        arguments += (keys == nil ? "],true]" : "],false]").utf8
        return try call(.reduce, function, arguments) { $0.onlyElement($1) }
    }

    /// Runs a `validate_doc_update` function.
    ///
    /// - Parameters:
    ///   - document: the new revision as canonical JSON.
    ///   - old: the revision before it, or nil.
    ///   - user: the user context, a JSON object of `db`, `name` and `roles`.
    ///   - security: the database's security object.
    /// - Throws: any `JavaScriptError`; `thrown` if the function threw something else than an object with `forbidden`
    ///   or `unauthorized`.
    package func validate(
        _ function: JavaScriptFunction,
        document: [UInt8],
        old: [UInt8]?,
        user: [UInt8],
        security: [UInt8]
    ) throws(JavaScriptError) -> JavaScriptValidation {
        let parts = [document, old ?? Array("null".utf8), user, security]
        let arguments = Array("[".utf8) + parts.joined(separator: [UInt8(ascii: ",")]) + Array("]".utf8)
        return try call(.validate, function, arguments) { $0.validation($1) }
    }

    /// Calls a function once.
    private func call<Outcome>(
        _ form: JavaScriptWire.Form,
        _ function: JavaScriptFunction,
        _ arguments: [UInt8],
        _ decode: (borrowing JSONParser, JSONNode) -> Outcome?
    ) throws(JavaScriptError) -> Outcome {
        try session.withLock { session throws(JavaScriptError) in
            do throws(CallFault) {
                let answer = try session.call(form, [function], arguments)
                let elements = try OutputReader(answer.frame, answer.outputs[0]).elements(1) { parser, node in
                    decode(parser, node).map { Result<Outcome, JavaScriptError>.success($0) }
                }
                guard let elements else { throw session.lose(.crashed) }
                return elements[0]
            } catch {
                throw error.error
            }
        }.get()
    }
}
