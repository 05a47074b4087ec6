public import SetteeDocumentValues
public import SetteeEngine
public import StorageProtocol

extension Model {
    /// The database of the document.
    public var database: Database { document.database }
    /// The document's ID.
    public var id: DocumentID { document.id }

    /// The revision that the properties were read from or last saved as, which the next save follows; nil if the
    /// document is missing or deleted.
    public var revisionID: RevisionID? {
        noteRead(\.revisionID)
        return state.withLock { $0.revision }
    }

    /// Whether the document was never saved, as of the model's last read or save.
    public var isNew: Bool {
        noteRead(\.revisionID)
        return state.withLock { $0.isNew }
    }

    /// Whether the document is deleted, as of the model's last read or save.
    public var isDeleted: Bool {
        noteRead(\.revisionID)
        return state.withLock { $0.isDeleted }
    }

    /// Whether there are unsaved edits.
    public var needsSave: Bool {
        noteRead(\.needsSave)
        return state.withLock { $0.needsSave }
    }

    /// The properties that differ from those last read or saved.
    public var changedNames: PropertyNames {
        noteRead(\.needsSave)
        return state.withLock { $0.changedNames }
    }

    /// The time since the model last loaded a change made elsewhere; nil if it never did.
    public var timeSinceExternalChange: Duration? {
        state.withLock { $0.lastExternalChange.map { $0.duration(to: .now) } }
    }

    /// All properties, declared or not, including unsaved edits: what a save would write.
    public var properties: JSONObject {
        noteRead(\.properties)
        return state.withLock { $0.properties }
    }

    /// A property as JSON, declared or not. Setting nil removes it.
    ///
    /// Names that begin with `_` are reserved for the database. `_id`, `_rev`, `_deleted` and `_attachments` (as stubs)
    /// can be read. Setting one of them to another value, or setting any other such name, makes the next save throw
    /// `badJSON` (493).
    public subscript(name: String) -> JSONValue? {
        get { json(ObservedName.read(name)) }
        set {
            guard name.utf8.first != UInt8(ascii: "_") else { return setSpecial(name, newValue) }
            edit { $0.set(name, newValue) }
        }
    }

    /// Like the subscript above, for variables: `model["title"] = title`.
    @_disfavoredOverload
    public subscript(name: String) -> (any JSONConvertible)? {
        get { self[name] as JSONValue? }
        set { self[name] = newValue.map { $0.jsonValue } }
    }

    /// Returns a property as JSON.
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

    /// Returns a property as a value of `type`; nil if it is missing or null.
    ///
    /// - Throws: `DecodingError` if it has another form.
    public func value<Value: Decodable>(_ type: Value.Type, of name: String) throws -> Value? {
        try value(type, of: ObservedName.read(name))
    }

    func value<Value: Decodable>(_ type: Value.Type, of name: ObservedName) throws -> Value? {
        guard let json = json(name), !json.isNull else { return nil }
        return try JSONValueDecoder().decode(type, from: json)
    }

    /// Sets a property to the JSON form of `value`; nil removes it.
    ///
    /// If the value has no JSON form (such as NaN), the next save throws its `EncodingError`, unless the property is
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

    /// Discards all unsaved edits: the properties are again those last read or saved.
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
    /// - Parameter edit: returns whether it changed anything.
    /// - Returns: the result of `edit`.
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

/// Returns whether `value` is an optional that is nil.
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
