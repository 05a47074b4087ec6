public import SetteeDocumentValues
internal import StorageProtocol

/// A JSON Schema draft 4 schema, read once and used for any number of values on any number of threads.
///
/// ```swift
/// let schema = try JSONSchema(["type": "object", "required": ["amount"]])
/// schema.isValid(["amount": 5])
/// ```
///
/// Nothing is ever downloaded: all other documents that it refers to are given with it. The meta-schema of draft 4 is
/// built in.
public struct JSONSchema: Sendable {
    private let schemas: [CompiledSchema]
    private let document: JSONValue

    /// Reads a schema and everything that it refers to.
    ///
    /// - Parameters:
    ///   - schema: the schema's document.
    ///   - uri: the URI of the schema. References in the schema are relative to it, unless the schema has an `id`.
    ///   - documents: other documents that may be referred to, by their URIs without fragments.
    ///   - checksFormats: whether values must conform to `format`. The formats are date-time, email, hostname, ipv4,
    ///     ipv6, uri and regex; others are ignored.
    /// - Throws: `Fault` with the location of the error, also if a document is referred to but not given. Parts that
    ///   are not referenced are not checked; `selfValidate` checks everything.
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

    /// Reads a schema from its text.
    ///
    /// - Throws: `Fault`, also if the text is not JSON; otherwise like the initializer with a value.
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

    /// Returns whether a value conforms to the schema.
    ///
    /// - Complexity: O(size of the value) times the parts of the schema that apply to it. Validation is abandoned, and
    ///   the answer is no, after 250,000 steps plus a thousand for each value inside: only schemas whose parts multiply
    ///   need so many. The same happens if the search for a pattern takes too long.
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

    /// Returns the reasons why a value does not conform to the schema; none if it does.
    ///
    /// - Parameter limit: the most reasons to return; at least one.
    public func failures(in value: JSONValue, limit: Int = 100) -> [Failure] {
        var decision = Evaluation(schemas, of: value, failureLimit: nil)
        if decision.run() { return [] }
        if decision.isExhausted { return [.givenUp(at: schemas[0].location)] }
        // Only now are reasons worth recording.
        var evaluation = Evaluation(schemas, of: value, failureLimit: max(1, limit))
        _ = evaluation.run()
        return evaluation.isExhausted ? [.givenUp(at: schemas[0].location)] : evaluation.failures
    }

    /// Validates the whole schema document against the meta-schema of draft 4, including parts that are not referenced.
    /// The meta-schema is the one at `http://json-schema.org/draft-04/schema#`, relaxed in one point: an array in
    /// `type` may contain schemas besides the names of types. It is built in.
    ///
    /// - Throws: `Fault` for the first location that does not conform.
    public func selfValidate() throws(Fault) {
        let failures = try MetaSchema.compiled.get().failures(in: document, limit: 1)
        guard let first = failures.first else { return }
        throw Fault(location: schemas[0].location + first.instancePath.description, message: first.message)
    }
}
