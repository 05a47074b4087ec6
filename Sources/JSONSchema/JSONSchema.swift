public import SetteeDocumentValues
internal import StorageProtocol

/// A schema of JSON Schema draft 4, read once and used for any number of values, from any number of threads.
///
/// ```swift
/// let schema = try JSONSchema(["type": "object", "required": ["amount"]])
/// schema.isValid(["amount": 5])
/// ```
///
/// Nothing is ever fetched: other documents that it refers to are given with it. The meta-schema of draft 4 is built
/// in.
public struct JSONSchema: Sendable {
    private let schemas: [CompiledSchema]
    private let document: JSONValue

    /// Reads a schema and all that it refers to.
    ///
    /// - Parameters:
    ///   - schema: the schema's document.
    ///   - uri: where it comes from: what references in it are relative to, unless it has an `id`.
    ///   - documents: other documents that may be referred to, by their URIs without fragments.
    ///   - checksFormats: whether `format` is demanded. The formats are date-time, email, hostname, ipv4, ipv6, uri and
    ///     regex; others are let pass.
    /// - Throws: `Fault` with the place of what is wrong, also where a document is referred to that is not given. Parts
    ///   that nothing leads to are not looked at; `selfValidate` looks at all.
    /// - Complexity: O(size of the documents referred to).
    public init(
        _ schema: JSONValue,
        uri: String = "",
        documents: [String: JSONValue] = [:],
        checksFormats: Bool = true
    ) throws(Fault) {
        var compiler = SchemaCompiler(documents, checksFormats: checksFormats)
        try compiler.compile(schema, uri: URIReference(uri).resource)
        schemas = compiler.schemas
        document = schema
    }

    /// Reads a schema's text.
    ///
    /// - Throws: `Fault`, also for text that is not JSON; otherwise as the form with a value.
    public init(
        parsing text: [UInt8],
        uri: String = "",
        documents: [String: JSONValue] = [:],
        checksFormats: Bool = true
    ) throws(Fault) {
        let schema: JSONValue
        do throws(StorageError) {
            schema = try JSONValue(parsing: text)
        } catch {
            throw Fault(location: URIReference(uri).resource + "#", message: error.message)
        }
        try self.init(schema, uri: uri, documents: documents, checksFormats: checksFormats)
    }

    /// Whether a value conforms to the schema.
    ///
    /// - Complexity: O(size of the value) times what of the schema applies to it. Judging is given up, and the answer
    ///   is no, after 250,000 steps and a thousand more for each value inside: only schemas whose parts multiply need
    ///   so many. So it is where the search for a pattern does not end.
    public func isValid(_ value: JSONValue) -> Bool {
        var evaluation = Evaluation(schemas, of: value, failureLimit: nil)
        return evaluation.run()
    }

    /// Throws the first reason why a value does not conform to the schema.
    ///
    /// - Throws: `Failure`.
    public func validate(_ value: JSONValue) throws(Failure) {
        if let failure = failures(in: value, limit: 1).first { throw failure }
    }

    /// The reasons why a value does not conform to the schema; none where it does.
    ///
    /// - Parameter limit: how many at most, at least one.
    public func failures(in value: JSONValue, limit: Int = 100) -> [Failure] {
        var decision = Evaluation(schemas, of: value, failureLimit: nil)
        if decision.run() { return [] }
        if decision.isExhausted { return [.givenUp(at: schemas[0].location)] }
        // Only now it is worth while to note reasons.
        var evaluation = Evaluation(schemas, of: value, failureLimit: max(1, limit))
        _ = evaluation.run()
        return evaluation.isExhausted ? [.givenUp(at: schemas[0].location)] : evaluation.failures
    }

    /// Compares the whole schema document with the meta-schema of draft 4, parts that nothing leads to included. The
    /// meta-schema is the one at `http://json-schema.org/draft-04/schema#`, relaxed in one place: `type` may be an
    /// array that holds schemas beside the names of types. It is built in.
    ///
    /// - Throws: `Fault` at the first place that does not conform.
    public func selfValidate() throws(Fault) {
        let failures = try MetaSchema.compiled.get().failures(in: document, limit: 1)
        guard let first = failures.first else { return }
        throw Fault(location: schemas[0].location + first.instancePath.description, message: first.message)
    }
}
