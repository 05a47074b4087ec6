public import SetteeEngine
public import StorageProtocol
internal import Synchronization

extension Model {
    /// The database it is in.
    public var database: Database { document.database }
    /// The document's ID.
    public var id: String { document.id }

    /// The revision that the properties were read from or saved as, and that the next save follows; nil where the
    /// document is missing or deleted.
    public var revisionID: RevisionID? { state.withLock { $0.revision } }

    /// Whether the document was never saved, as far as this model knows.
    public var isNew: Bool { state.withLock { $0.isNew } }

    /// Whether the document is deleted, as far as this model knows.
    public var isDeleted: Bool { state.withLock { $0.isDeleted } }

    /// Whether there are edits that are not saved.
    public var needsSave: Bool { state.withLock { $0.needsSave } }

    /// The properties that differ from what the database holds.
    public var changedNames: PropertyNames { state.withLock { $0.changedNames } }

    /// How long ago the model took up what somebody else saved; nil where it never did.
    public var timeSinceExternalChange: Duration? {
        state.withLock { $0.lastExternalChange.map { $0.duration(to: .now) } }
    }

    /// All properties, declared or not, with the edits: what a save would write.
    public var properties: JSONObject { state.withLock { $0.properties } }

    /// A property as JSON, declared or not. Setting nil removes it.
    ///
    /// Names that begin with `_` are the database's own: setting one makes the next save throw `badJSON` (493).
    public subscript(name: String) -> JSONValue? {
        get { state.withLock { $0.properties[name] } }
        set {
            guard name.utf8.first != UInt8(ascii: "_") else {
                return fail(
                    name,
                    StorageError(.badJSON, "Names that begin with '_' are the database's own. Choose another.")
                )
            }
            edit { $0.set(name, newValue) }
        }
    }

    /// A property as a value of `type`; nil where it is missing or null.
    ///
    /// - Throws: `DecodingError` where it has another form.
    public func value<Value: Decodable>(_ type: Value.Type, of name: String) throws -> Value? {
        guard let json = self[name], !json.isNull else { return nil }
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
        state.withLock { state in
            _ = state.replace(state.base)
            state.staged = []
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
    /// - Parameter change: says whether it changed anything.
    func edit(_ change: (inout ModelState) -> Bool) {
        let autosaves = state.withLock { state -> Bool? in
            guard change(&state) else { return nil }
            return state.autosaves
        }
        if let autosaves { context.noteChange(of: self, autosaves: autosaves) }
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
