public import SetteeDocumentValues
public import SetteeEngine
internal import StorageProtocol

/// A document as a value of a `Codable` type.
///
/// ```swift
/// struct Note: Codable { var title: String; var due: Date? }
///
/// let note = try db.document(of: Note.self, id: "groceries")
/// note.model = Note(title: "Groceries", due: nil)
/// try note.save()
/// note.model?.due = .now
/// try note.save()
/// ```
///
/// Properties that the type does not declare survive a save, including those of embedded objects; they are available as
/// JSON through `subscript(_:)` and `properties`. The elements of arrays are written as they are. The declared
/// properties are known from the keys that the type reads and writes: a declared property that is nil is removed.
///
/// A type may declare the members of the database: `_id`, `_rev`, `_deleted` and `_attachments` get the values of the
/// document. When written, `_id` must be the ID of the document (400), and `_rev` a revision that is still current
/// (409).
///
/// The type may adopt `ModelHooks`. It is `@unchecked Sendable` like `Model`, and has no stored properties of its own.
public final class ModelDocument<Value: Codable & Sendable>: Model, @unchecked Sendable {
    /// The value. Nil if the document is missing, deleted or of another form: `read` says which. Setting nil removes
    /// what the type declares.
    ///
    /// A change in place (`note.model?.title = "…"`) reads and then writes; use `edit` if other threads edit the same
    /// model. A value without a JSON form makes the next save throw its `EncodingError`.
    public var model: Value? {
        get { try? read() }
        set {
            do {
                try write(newValue)
            } catch {
                edit { state in
                    state.fail(newValue, error)
                    return true
                }
            }
        }
    }

    /// Returns the value.
    ///
    /// - Throws: `notFound` (404), `deleted` (496); `DecodingError` if the properties have another form.
    public func read() throws -> Value { try versionedValue().value }

    private func versionedValue() throws -> (value: Value, version: Int) {
        noteRead(\.properties)
        noteRead(\.revisionID)
        let state = state.withLock { $0 }
        if let known = state.decoded as? Value { return (known, state.version) }
        guard !state.isDeleted else { throw StorageError.documentIsDeleted }
        guard state.revision != nil || !state.properties.isEmpty || state.hasValue else {
            throw StorageError.noDocument
        }
        let (value, declared) = try JSONValueDecoder().decodeRecording(
            Value.self,
            from: .object(state.properties.withoutAttachments),
            SpecialMembers(of: state, id: id.string)
        )
        self.state.withLock { now in
            now.declared = .union(now.declared, declared)
            if now.version == state.version { now.decoded = value }
        }
        return (value, state.version)
    }

    /// Edits the value in memory, with no other edit in between.
    ///
    /// - Parameter change: may run more than once.
    /// - Throws: what `change` throws; the errors of `read`; `EncodingError` for a value without JSON form;
    ///   `badRequest` (400) for another `_id`, `conflict` (409) for another `_rev`, if the type declares them.
    @discardableResult
    public func edit<Outcome>(_ change: (inout Value) throws -> Outcome) throws -> Outcome {
        while true {
            var (value, version) = try versionedValue()
            let outcome = try change(&value)
            let form = try ModelDocument.form(of: value)
            var isCurrent = true
            try edit { (state) throws(StorageError) in
                isCurrent = state.version == version
                guard isCurrent else { return false }
                return try state.write(form, of: value, id: id.string)
            }
            if isCurrent { return outcome }
        }
    }

    /// Makes a change that cannot conflict: in one transaction it takes the current revision, edits the value, and
    /// saves. If it throws, the properties are as they were before.
    ///
    /// - Parameter change: must not call the database (593).
    /// - Returns: the new revision; nil if nothing was changed.
    /// - Throws: what `change` throws; the errors of `read` and `save` except `conflict`.
    @discardableResult
    public func update(_ change: (inout Value) throws -> Void) throws -> SavedRevision? {
        try update { () throws -> Void in try edit(change) }
    }

    public override func willSave(changedNames: PropertyNames) throws {
        guard Value.self is any ModelHooks.Type, var hooked = try? read() as? any ModelHooks else { return }
        try hooked.willSave(changedNames: changedNames)
        if let value = hooked as? Value { model = value }
    }

    public override func propertiesToSaveForDeletion() throws -> JSONObject {
        guard Value.self is any ModelHooks.Type, let hooked = try? read() as? any ModelHooks else { return [:] }
        return try hooked.propertiesToSaveForDeletion()
    }

    /// Sets the value.
    ///
    /// - Throws: `EncodingError` if it has no JSON form, the errors of `EncodedForm.check`; nothing then changes.
    func write(_ value: Value?) throws { try write(ModelDocument.form(of: value), of: value) }

    func write(_ form: EncodedForm, of value: Value?) throws(StorageError) {
        try edit { (state) throws(StorageError) in try state.write(form, of: value, id: id.string) }
    }

    static func form(of value: Value?) throws -> EncodedForm {
        guard let value else { return EncodedForm(JSONObject(), nil) }
        let (json, declared) = try JSONValueEncoder().encodeRecording(value)
        guard case .object(let members) = json else {
            throw EncodingError.invalidValue(
                Value.self,
                .init(codingPath: [], debugDescription: "A document is a JSON object, and the type encodes as another.")
            )
        }
        return EncodedForm(members, declared)
    }
}

extension ModelState {
    /// Replaces what the type declares by the form of a value. False if nothing changes.
    fileprivate mutating func write(
        _ form: EncodedForm,
        of value: (any Sendable)?,
        id: String
    ) throws(StorageError) -> Bool {
        try form.check(id: id, self)
        declared = .union(declared, form.declared)
        let written = properties(with: form, declared)
        let isChange = replace(written, decoded: value)
        let isFirst = (value != nil) != hasValue && written.isEmpty
        hasValue = value != nil
        dropUnusedContents()
        return isChange || isFirst
    }
}
