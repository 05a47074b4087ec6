internal import SetteeDocumentValues
internal import SetteeEngine
internal import StorageProtocol

/// The state of a model.
struct ModelState: Sendable {
    /// The properties of `revision`, as last read or saved. Empty if there is none.
    var base = JSONObject() {
        didSet { changes.areEdits = true }
    }
    /// The current revision that a save follows; nil if the document is missing or deleted.
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
    /// The latest revisions of this model since it last loaded one saved elsewhere.
    private var ownRevisions: [RevisionID] = []
    /// The model was deleted by its own `delete` and can no longer be used.
    var isDismissed = false

    /// The properties with all edits.
    private(set) var properties = JSONObject()
    /// Increases with every change of `properties`.
    private(set) var version = 0
    /// For each property, the error of a value that has no JSON form.
    private(set) var failures: [MemberName: any Error] = [:]
    /// The error of a whole value that has no JSON form.
    private(set) var formFailure: (any Error)?

    /// The decoded form of `properties`, for subclasses that keep one.
    var decoded: (any Sendable)?
    /// The members that the decoded form declares.
    var declared: DeclaredMembers?

    /// A value was set, even if it has no properties.
    var hasValue = false

    /// Changes not yet reported to observers.
    var changes = ModelChanges()

    var autosaves = false
    /// The autosave that was refused last, until a save or a reload.
    var refusal: AutosaveRefusal?
    var isSaving = false
    /// The version of the properties in the last attempt to save.
    var attempt = 0
    var isDeleting = false
    /// Contents of attachments that are not saved yet. They exist as long as these references.
    var staged: [StagedAttachment] = []
    /// The number of saves in transactions that have not ended.
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

    /// Replaces one property; nil removes it. Returns false if it already had this value.
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

    /// Keeps a value that has no JSON form, so that it can be read; the next save fails.
    mutating func fail(_ value: any Sendable, _ error: any Error) {
        formFailure = error
        noteEdit(of: [])
        changes.isWhole = true
        decoded = value
    }

    /// Replaces all properties. Returns false if they were the same.
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
        // A value that declares `_rev` is decoded again once the revision has changed.
        self.decoded = SpecialMembers.areDeclared(by: declared) ? nil : decoded
        return isChange
    }

    /// Makes `current` the base. Edits stay on top of it: whole properties, and attachments one by one.
    mutating func rebase(onto current: SavedContents) {
        let edited = changedNames
        let isEdited = needsSave
        if !isEdited {
            _ = replace(current.properties)
            hasValue = false
        } else {
            // If the document is gone, its properties are still available, but its attachments are not.
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
        // If the document is gone, a model with edits becomes a new document.
        isDeleted = current.isDeleted && !isEdited
        lastExternalChange = .now
        refusal = nil
        dropUnusedContents()
    }

    /// Takes over what was stored of `sent`. Edits made since then stay.
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

    /// Undoes a save that was rolled back.
    mutating func undoSave(to base: JSONObject, _ revision: RevisionID?, isDeleted: Bool) {
        self.base = base
        self.revision = revision
        self.isDeleted = isDeleted
        version += 1
        if SpecialMembers.areDeclared(by: declared) { decoded = nil }
    }

    /// Notes that this model has deleted the document.
    mutating func dismiss() {
        base = JSONObject()
        _ = replace(JSONObject())
        hasValue = false
        revision = nil
        isDeleted = true
        isDismissed = true
    }

    /// Restores an earlier state, except for what is in progress.
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

    /// Returns whether a revision named in a value is one that this model has, or had and then saved over.
    func isOwn(_ text: String?) -> Bool { ownRevisions.contains { $0.string == text } }
}

/// The contents of a document in the database.
struct SavedContents: Sendable {
    var properties = JSONObject()
    /// Nil if the document is missing or deleted.
    var revision: RevisionID?
    var isDeleted = false
}
