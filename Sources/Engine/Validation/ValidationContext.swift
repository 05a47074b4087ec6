public import SetteeDocumentValues
internal import StorageProtocol

/// What a validation function can use beside the revision, and how it rejects it.
///
/// It works only while the function runs. Afterwards a rejection has no effect, and reading what was not read before
/// throws.
public final class ValidationContext {
    /// Why a function rejected a revision.
    struct Rejection {
        var message: String?
        var status: Int
    }

    private(set) var rejection: Rejection?
    private let proposed: JSONObject
    /// Reads the previous revision; nil once the functions have run.
    private var reader: PreviousRevision?
    private var previous: SavedRevision??
    private var changes: [Change]?

    private typealias Change = (key: String, old: JSONValue?, new: JSONValue?)

    init(_ proposed: JSONObject, _ reader: PreviousRevision) {
        self.proposed = proposed
        self.reader = reader
    }

    func end() { reader = nil }

    /// The revision that this one would replace, read at the first access; nil if the document is new.
    ///
    /// It is the parent. If the parent's body is not stored here, as with revisions from elsewhere, it is the nearest
    /// ancestor whose body is; if no body of a known ancestor is, the current revision of the document. It may be a
    /// tombstone. Nil, too, if no ancestor is known: the revision begins a branch of its own.
    ///
    /// - Throws: `callback` (593) after the function has returned; `corrupt` (591), `storage` (590).
    public var currentRevision: SavedRevision? {
        get throws(StorageError) {
            if let previous { return previous }
            guard let reader else {
                throw StorageError(.callback, "A validation's context serves only while the validation runs.")
            }
            let found = try reader.read()
            previous = .some(found)
            return found
        }
    }

    /// The names of the top-level properties that differ from `currentRevision`, including added and removed ones, in
    /// canonical order. All names if there is no such revision. Without `_id` and `_rev`; `_deleted` and `_attachments`
    /// are included.
    ///
    /// - Throws: as `currentRevision`.
    /// - Complexity: O(bytes of both bodies) at the first access.
    public var changedKeys: [String] {
        get throws(StorageError) { try changedProperties().map(\.key) }
    }

    /// Calls `isAllowed` with the name of each of `changedKeys`, its old value (nil if it is added) and its new one
    /// (nil if it is removed). If it returns false, the revision is rejected, and `isAllowed` is not called again.
    ///
    /// - Returns: whether all changes are allowed.
    /// - Throws: what `isAllowed` throws; as `currentRevision`.
    @discardableResult
    public func enumerateChanges(
        _ isAllowed: (_ key: String, _ old: JSONValue?, _ new: JSONValue?) throws -> Bool
    ) throws -> Bool {
        for change in try changedProperties() where !(try isAllowed(change.key, change.old, change.new)) {
            reject(withMessage: "'\(change.key)' must not be changed so.")
            return false
        }
        return true
    }

    /// Rejects the revision. The function continues until it returns; of several calls the last one counts.
    ///
    /// - Parameters:
    ///   - message: the reason; it becomes part of the error's message, but not of any log.
    ///   - status: the status of the error, 400...599; any other number counts as 403.
    public func reject(withMessage message: String? = nil, status: Int = 403) {
        rejection = Rejection(message: message, status: (400...599).contains(status) ? status : 403)
    }

    private func changedProperties() throws(StorageError) -> [Change] {
        if let changes { return changes }
        var old = JSONObject()
        if let revision = try currentRevision {
            old = try revision.properties
            if revision.isDeleted { old["_deleted"] = .bool(true) }
        }
        var new = proposed
        for name in ["_id", "_rev"] {
            old[name] = nil
            new[name] = nil
        }
        let found = ValidationContext.differences(old, new)
        changes = found
        return found
    }

    private static func differences(_ old: JSONObject, _ new: JSONObject) -> [Change] {
        // A table of all names, in canonical order; the values do not matter.
        var names = new
        for (name, value) in old { names[name] = value }
        return names.compactMap { name, _ in
            let (before, after) = (old[name], new[name])
            return before == after ? nil : (name, before, after)
        }
    }
}
