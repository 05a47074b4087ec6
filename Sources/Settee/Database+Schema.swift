public import SetteeEngine
public import SetteeJSONSchema
internal import StorageProtocol

extension Database {
    /// Sets a validation function that accepts revisions that conform to a JSON Schema. The error's message has the
    /// first reason why a revision does not conform.
    ///
    /// The schema is applied to the properties including `_id`, `_rev` and, for a tombstone, `_deleted`. It must allow
    /// these, and must accept tombstones as shown in docs/guide/validation.md.
    public func setValidation(_ name: String, schema: JSONSchema) {
        setValidation(name) { revision, context in
            if let failure = schema.failures(in: .object(revision.properties), limit: 1).first {
                context.reject(withMessage: failure.description)
            }
        }
    }
}
