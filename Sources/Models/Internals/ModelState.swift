internal import SetteeDocumentValues
internal import SetteeEngine
internal import StorageProtocol

/// What a model knows of its document.
struct ModelState: Sendable {
    /// The properties of `revision`: what the database holds, as far as the model knows. Empty where there is none.
    var base = JSONObject() {
        didSet { changes.areEdits = true }
    }
    /// The current revision that a save follows; nil where the document is missing or deleted.
    var revision: RevisionID? {
        didSet {
            if revision != oldValue { changes.isStatus = true }
        }
    }
    var isDeleted = false {
        didSet {
            if isDeleted != oldValue { changes.isStatus = true }
        }
    }
    /// The revisions that this model had since it took up somebody else's, the last ones.
    private var ownRevisions: [RevisionID] = []
    /// The model was deleted by its own `delete`, and is of no more use.
    var isDismissed = false

    /// The properties with all edits.
    private(set) var properties = JSONObject()
    /// Grows with every change of `properties`.
    private(set) var version = 0
    /// Why values that were set have no JSON form, by property.
    private(set) var failures: [MemberName: any Error] = [:]
    /// Why the whole value that was set has no JSON form.
    private(set) var formFailure: (any Error)?

    /// The decoded form of `properties`, for those who keep one.
    var decoded: (any Sendable)?
    /// What the decoded form declares.
    var declared: DeclaredMembers?

    /// A value was set, even if it has no properties.
    var hasValue = false

    /// What observers are not told yet.
    var changes = ModelChanges()

    var autosaves = false
    /// The autosave that was refused last, until a save or a reload.
    var refusal: AutosaveRefusal?
    var isSaving = false
    /// The version of the properties that a save was last tried with.
    var attempt = 0
    var isDeleting = false
    /// Contents of attachments that are not saved yet: they last as long as these.
    var staged: [StagedAttachment] = []
    /// Saves of transactions that have not ended.
    var openSaves = 0
    var lastExternalChange: ContinuousClock.Instant?

    init(_ current: SavedContents) {
        base = current.properties
        properties = base
        revision = current.revision
        isDeleted = current.isDeleted
        if let revision { ownRevisions = [revision] }
        changes = ModelChanges()
    }

    var changedNames: PropertyNames {
        var names = PropertyNames.differing(base, properties)
        for name in failures.keys { names.insert(name.string) }
        return names
    }

    var isNew: Bool { revision == nil && !isDeleted }

    var failure: (any Error)? { formFailure ?? failures.values.first }

    var needsSave: Bool { failure != nil || properties != base }

    /// Replaces one property; nil removes it. False where it had this value.
    mutating func set(_ name: String, _ value: JSONValue?) -> Bool {
        let hadFailed = failures.removeValue(forKey: MemberName(name)) != nil
        guard hadFailed || properties[name] != value else { return false }
        properties[name] = value
        noteEdit(of: [name])
        return true
    }

    /// Forgets that a property had a value without a JSON form.
    mutating func forgetFailure(_ name: String) -> Bool {
        guard failures.removeValue(forKey: MemberName(name)) != nil else { return false }
        noteEdit(of: [name])
        return true
    }

    private mutating func noteEdit(of names: [String]) {
        changes.names += names
        changes.areEdits = true
        version += 1
        decoded = nil
    }

    mutating func fail(_ name: String, _ error: any Error) {
        failures[MemberName(name)] = error
        noteEdit(of: [name])
    }

    /// Keeps a value that has no JSON form, to be looked at; the next save fails.
    mutating func fail(_ value: any Sendable, _ error: any Error) {
        formFailure = error
        noteEdit(of: [])
        changes.isWhole = true
        decoded = value
    }

    /// Replaces all properties. False where they were the same.
    mutating func replace(_ new: JSONObject, decoded: (any Sendable)? = nil) -> Bool {
        let names = properties == new ? [] : PropertyNames.differing(properties, new)
        let isChange = failure != nil || !names.isEmpty
        if isChange {
            changes.names += names
            changes.isWhole = true
            changes.areEdits = true
        }
        failures = [:]
        formFailure = nil
        properties = new
        version += 1
        // A value that shows its revision is decoded again when that has changed.
        self.decoded = SpecialMembers.areDeclared(by: declared) ? nil : decoded
        return isChange
    }

    /// Makes `current` the base. Edits stay, and are laid over it: of properties as a whole, of attachments one by one.
    mutating func rebase(onto current: SavedContents) {
        let edited = changedNames
        let isEdited = needsSave
        if !isEdited {
            _ = replace(current.properties)
            hasValue = false
        } else {
            // Where the document is gone, its properties are still at hand; its attachments went with it.
            var merged = current.revision == nil ? properties : current.properties
            for name in edited { merged[name] = properties[name] }
            let entries = ModelState.merged(attachments, base.attachments, current.properties.attachments)
            merged[SpecialMembers.attachmentsName] = entries.isEmpty ? nil : .some(.object(entries))
            let (kept, keptForm, keptValue) = (failures, formFailure, decoded)
            _ = replace(merged)
            if keptForm != nil { decoded = keptValue }
            failures = kept
            formFailure = keptForm
        }
        base = current.properties
        revision = current.revision
        ownRevisions = revision.map { [$0] } ?? []
        // A model with edits of a document that went is a new document.
        isDeleted = current.isDeleted && !isEdited
        lastExternalChange = .now
        refusal = nil
        dropUnusedContents()
    }

    /// Takes over what was stored of `sent`; edits that came meanwhile stay.
    mutating func noteSave(of sent: JSONObject, as saved: RevisionID, _ stored: JSONObject) {
        if properties == sent {
            _ = replace(stored, decoded: decoded)
        } else {
            exchangeAttachments(sent.attachments, by: stored.attachments)
        }
        base = stored
        revision = saved
        ownRevisions = ownRevisions.suffix(31) + [saved]
        isDeleted = false
        refusal = nil
    }

    /// The save was rolled back.
    mutating func undoSave(to base: JSONObject, _ revision: RevisionID?, isDeleted: Bool) {
        self.base = base
        self.revision = revision
        self.isDeleted = isDeleted
        version += 1
        if SpecialMembers.areDeclared(by: declared) { decoded = nil }
    }

    /// The document was deleted by this model.
    mutating func dismiss() {
        base = JSONObject()
        _ = replace(JSONObject())
        hasValue = false
        revision = nil
        isDeleted = true
        isDismissed = true
    }

    /// Is again what it was before, but for what goes on meanwhile.
    mutating func restore(_ before: ModelState) {
        let now = self
        _ = replace(before.properties)
        let changes = changes
        self = before
        version = now.version + 1
        decoded = nil
        (autosaves, isSaving, isDeleting, openSaves) = (now.autosaves, now.isSaving, now.isDeleting, now.openSaves)
        self.changes = changes
        self.changes.areEdits = true
        self.changes.isStatus = now.revision != revision || now.isDeleted != isDeleted
    }

    /// Whether a revision that a value names is one that this model has, or had and saved over.
    func isOwn(_ text: String?) -> Bool { ownRevisions.contains { $0.string == text } }
}

/// What the database holds of a document.
struct SavedContents: Sendable {
    var properties = JSONObject()
    /// Nil where the document is missing or deleted.
    var revision: RevisionID?
    var isDeleted = false
}
