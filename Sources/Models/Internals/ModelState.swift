internal import SetteeEngine
internal import StorageProtocol

/// What a model knows of its document.
struct ModelState: Sendable {
    /// The properties of `revision`: what the database holds, as far as the model knows. Empty where there is none.
    var base = JSONObject()
    /// The current revision that a save follows; nil where the document is missing or deleted.
    var revision: RevisionID?
    var isDeleted = false
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

    var autosaves = false
    var isSaving = false
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
        version += 1
        decoded = nil
        return true
    }

    mutating func fail(_ name: String, _ error: any Error) {
        failures[MemberName(name)] = error
        version += 1
        decoded = nil
    }

    /// Keeps a value that has no JSON form, to be looked at; the next save fails.
    mutating func fail(_ value: any Sendable, _ error: any Error) {
        formFailure = error
        version += 1
        decoded = value
    }

    /// Replaces all properties. False where they were the same.
    mutating func replace(_ new: JSONObject, decoded: (any Sendable)? = nil) -> Bool {
        let changes = failure != nil || properties != new
        failures = [:]
        formFailure = nil
        properties = new
        version += 1
        self.decoded = decoded
        return changes
    }

    /// Makes `current` the base. Edits stay, and are laid over it.
    mutating func rebase(onto current: SavedContents) {
        let edited = changedNames
        let isEdited = needsSave
        if !isEdited {
            _ = replace(current.properties)
        } else if current.revision != nil {
            var merged = current.properties
            for name in edited { merged[name] = properties[name] }
            let (kept, keptForm, keptValue) = (failures, formFailure, decoded)
            _ = replace(merged, decoded: keptForm == nil ? nil : keptValue)
            failures = kept
            formFailure = keptForm
        }
        base = current.properties
        revision = current.revision
        // A model with edits of a document that went is a new document.
        isDeleted = current.isDeleted && !isEdited
        lastExternalChange = .now
    }
}

/// What the database holds of a document.
struct SavedContents: Sendable {
    var properties = JSONObject()
    /// Nil where the document is missing or deleted.
    var revision: RevisionID?
    var isDeleted = false
}
