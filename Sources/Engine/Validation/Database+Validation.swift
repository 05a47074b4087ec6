/// Judges a revision before it is stored. It says no with `ValidationContext.reject`, or by throwing.
///
/// It runs inside the write transaction, on whatever thread saves, and must not call its database (593).
public typealias Validation = @Sendable (_ revision: ProposedRevision, _ context: ValidationContext) throws -> Void

extension Database {
    /// Sets the validation function of a name, in place of an earlier one; nil removes it.
    ///
    /// Every revision that is about to be stored goes through all functions, in the order of their names' bytes, until
    /// one says no: saved here or made elsewhere, tombstones too, and documents of an import. Local documents, purges
    /// and the move to another storage engine do not. What was stored before is not looked at again.
    ///
    /// ```swift
    /// database.setValidation("amounts") { revision, context in
    ///     guard !revision.isDeleted else { return }
    ///     if revision["amount"]?.doubleValue == nil { context.reject(withMessage: "An amount is needed.") }
    /// }
    /// ```
    ///
    /// A refused save throws `rejected` (403, or the status that the function gave) and writes nothing; a transaction
    /// around it can go on. A `StorageError` that the function throws comes out as it is, any other error as the cause
    /// of a `rejected` (403).
    ///
    /// Functions are not stored: set them each time the database is opened, before anything is saved. Those of other
    /// processes and of other `Database` objects are their own.
    public func setValidation(_ name: String, _ function: Validation?) { validations.set(name, function) }

    /// The validation function of a name, nil where there is none.
    public func validation(named name: String) -> Validation? { validations[name] }

    /// The names of all validation functions, in the order of their bytes.
    public var validationNames: [String] { validations.all.map(\.name) }
}
