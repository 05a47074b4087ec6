public import SetteeEngine
public import SetteeJSONSchema
internal import StorageProtocol

extension Database {
    /// Sets a validation function that accepts what conforms to a JSON Schema; the first reason why a revision does not
    /// is in the error's message.
    ///
    /// The schema judges the properties with `_id`, `_rev` and, for a tombstone, `_deleted`: it has to let them pass,
    /// and to let tombstones pass as docs/guide/validation.md shows.
    public func setValidation(_ name: String, schema: JSONSchema) {
        setValidation(name) { revision, context in
            if let failure = schema.failures(in: .object(revision.properties), limit: 1).first {
                context.reject(withMessage: failure.description)
            }
        }
    }
}
