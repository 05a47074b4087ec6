/// Judges a revision before it is stored. Rejects it with `ValidationContext.reject`, or by throwing.
///
/// It runs inside the write transaction, on the thread that saves, and must not call its database (593).
public typealias Validation = @Sendable (_ revision: ProposedRevision, _ context: ValidationContext) throws -> Void

extension Database {
    /// Sets the validation function with a name, replacing an earlier one; nil removes it.
    ///
    /// Every revision that is about to be stored goes through all functions, in the order of their names' bytes, until
    /// one rejects it. This includes revisions made elsewhere, tombstones, and documents of an import, but not local
    /// documents, purges and the conversion to another storage engine. What is already stored is not judged again.
    ///
    /// ```swift
    /// database.setValidation("amounts") { revision, context in
    ///     guard !revision.isDeleted else { return }
    ///     if revision["amount"]?.doubleValue == nil { context.reject(withMessage: "An amount is needed.") }
    /// }
    /// ```
    ///
    /// A rejected save throws `rejected` (403, or the status that the function gave) and writes nothing; a transaction
    /// around it can continue. A `StorageError` that the function throws is passed on unchanged, any other error as the
    /// cause of a `rejected` (403).
    ///
    /// Functions are not stored: set them each time the database is opened, before anything is saved. Other processes
    /// and other `Database` objects have their own.
    public func setValidation(_ name: String, _ function: Validation?) { validations.set(name, function) }

    /// Returns the validation function with a name; nil if there is none.
    public func validation(named name: String) -> Validation? { validations[name] }

    /// Runs `body` with one more validation of the revisions that the calling thread stores in it, after the functions
    /// above. Calls may be nested.
    ///
    /// - Throws: what `body` throws.
    package func withValidation<R, E: Error>(
        _ validation: @escaping Validation,
        perform body: () throws(E) -> R
    ) throws(E) -> R {
        try ThreadContext.current.with(validation, on: self, body)
    }

    /// The names of all validation functions, in the order of their bytes.
    public var validationNames: [String] { validations.all.map(\.name) }
}
