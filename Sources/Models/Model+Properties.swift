public import SetteeDocumentValues
public import SetteeEngine
public import StorageProtocol

extension Model {
    /// The database it is in.
    public var database: Database { document.database }
    /// The document's ID.
    public var id: DocumentID { document.id }

    /// The revision that the properties were read from or saved as, and that the next save follows; nil where the
    /// document is missing or deleted.
    public var revisionID: RevisionID? {
        noteRead(\.revisionID)
        return state.withLock { $0.revision }
    }

    /// Whether the document was never saved, as far as this model knows.
    public var isNew: Bool {
        noteRead(\.revisionID)
        return state.withLock { $0.isNew }
    }

    /// Whether the document is deleted, as far as this model knows.
    public var isDeleted: Bool {
        noteRead(\.revisionID)
        return state.withLock { $0.isDeleted }
    }

    /// Whether there are edits that are not saved.
    public var needsSave: Bool {
        noteRead(\.needsSave)
        return state.withLock { $0.needsSave }
    }

    /// The properties that differ from what the database holds.
    public var changedNames: PropertyNames {
        noteRead(\.needsSave)
        return state.withLock { $0.changedNames }
    }

    /// How long ago the model took up what somebody else saved; nil where it never did.
    public var timeSinceExternalChange: Duration? {
        state.withLock { $0.lastExternalChange.map { $0.duration(to: .now) } }
    }

    /// All properties, declared or not, with the edits: what a save would write.
    public var properties: JSONObject {
        noteRead(\.properties)
        return state.withLock { $0.properties }
    }

    /// A property as JSON, declared or not. Setting nil removes it.
    ///
    /// Names that begin with `_` are the database's own. `_id`, `_rev`, `_deleted` and `_attachments` (as stubs) can be
    /// read; setting one to anything else than it is, or any other name, makes the next save throw `badJSON` (493).
    public subscript(name: String) -> JSONValue? {
        get { json(ObservedName.read(name)) }
        set {
            guard name.utf8.first != UInt8(ascii: "_") else { return setSpecial(name, newValue) }
            edit { $0.set(name, newValue) }
        }
    }

    /// As the form above, for variables: `model["title"] = title`.
    @_disfavoredOverload
    public subscript(name: String) -> (any JSONConvertible)? {
        get { self[name] as JSONValue? }
        set { self[name] = newValue.map { $0.jsonValue } }
    }

    /// A property as JSON.
    func json(_ observed: ObservedName) -> JSONValue? {
        let name = observed.name
        noteRead(observed.keyPath)
        guard name.utf8.first == UInt8(ascii: "_") else { return state.withLock { $0.properties[name] } }
        noteRead(\.revisionID)
        return state.withLock { SpecialMembers(of: $0, id: id.string)[name] }
    }

    private func setSpecial(_ name: String, _ value: JSONValue?) {
        let error = StorageError(
            .badJSON,
            "Names that begin with '_' are the database's own. Choose another; attachments are set by 'setAttachment'."
        )
        edit { state in
            guard let value, value != SpecialMembers(of: state, id: id.string)[name] else {
                return state.forgetFailure(name)
            }
            state.fail(name, error)
            return true
        }
    }

    /// A property as a value of `type`; nil where it is missing or null.
    ///
    /// - Throws: `DecodingError` where it has another form.
    public func value<Value: Decodable>(_ type: Value.Type, of name: String) throws -> Value? {
        try value(type, of: ObservedName.read(name))
    }

    func value<Value: Decodable>(_ type: Value.Type, of name: ObservedName) throws -> Value? {
        guard let json = json(name), !json.isNull else { return nil }
        return try JSONValueDecoder().decode(type, from: json)
    }

    /// Sets a property to the JSON form of `value`; nil removes it.
    ///
    /// A value without a JSON form (NaN, for one) makes the next save throw its `EncodingError`, unless the property is
    /// set again or reverted before.
    public func setValue<Value: Encodable>(_ value: Value?, of name: String) {
        guard let value, !isNil(value) else {
            self[name] = nil
            return
        }
        do {
            self[name] = try JSONValueEncoder().encode(value)
        } catch {
            fail(name, error)
        }
    }

    /// Throws away all unsaved edits: the properties are again those that were read or saved last.
    public func revert() {
        change { state in
            _ = state.replace(state.base)
            state.hasValue = false
            state.refusal = nil
            state.dropUnusedContents()
        }
        context.settle(self)
    }

    private func fail(_ name: String, _ error: any Error) {
        edit { state in
            state.fail(name, error)
            return true
        }
    }

    /// Changes the properties.
    ///
    /// - Parameter edit: says whether it changed anything.
    /// - Returns: what `edit` says.
    @discardableResult
    func edit<E: Error>(_ edit: (inout ModelState) throws(E) -> Bool) throws(E) -> Bool {
        let autosaves = try change { (state) throws(E) -> Bool? in
            guard try edit(&state) else { return nil }
            return state.autosaves
        }
        guard let autosaves else { return false }
        context.noteChange(of: self, autosaves: autosaves)
        return true
    }
}

/// Whether `value` is an optional that holds nothing.
func isNil<Value>(_ value: Value) -> Bool {
    guard let optional = value as? any AnyOptional else { return false }
    return optional.isNil
}

private protocol AnyOptional {
    var isNil: Bool { get }
}

extension Optional: AnyOptional {
    fileprivate var isNil: Bool { self == nil }
}
