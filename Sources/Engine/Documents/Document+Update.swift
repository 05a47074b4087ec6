public import Foundation
public import SetteeDocumentValues
internal import StorageProtocol

extension Document {
    /// Reads the body, lets `change` edit it, and saves the result on top of the revision that was read. If the
    /// document is missing or deleted, `change` gets an empty object. If another writer saves a revision in between,
    /// the call starts again with the new body.
    ///
    /// `change` may therefore run more than once, and must not call the database (`callback`, 593).
    ///
    /// - Parameter change: edits the body. If it throws `UpdateCancelled`, the call ends without saving.
    /// - Returns: the new revision; nil if `change` threw `UpdateCancelled`.
    /// - Throws: what `change` throws; the error with which a validation function rejects the revision; `readOnly`
    ///   (403), `tooLarge` (413), `inUse` (423), `badJSON` (493), `badID` (494), `notOpen` (503), `callback` (593)
    ///   inside `read` or another `update`. `conflict` (409) only after losing to other writers 1,000 times and for
    ///   longer than `DatabaseOptions.busyTimeout`.
    @discardableResult
    public func update(_ change: (inout JSONObject) throws -> Void) throws -> SavedRevision? {
        try updateRevision { try change(&$0.properties) }
    }

    /// Like `update(_:)`, but with the whole revision to edit: `isDeleted` makes a tombstone that keeps the properties.
    @discardableResult
    public func updateRevision(_ change: (inout UnsavedRevision) throws -> Void) throws -> SavedRevision? {
        let start = ContinuousClock.now
        var losses = 0
        while true {
            var revision = try newRevision()
            do {
                try ThreadContext.current.with(.closure("update"), on: database) { try change(&revision) }
            } catch is UpdateCancelled {
                return nil
            }
            let race = SaveRace(revision.parentID)
            do throws(StorageError) {
                return try revision.save(in: race)
            } catch {
                guard race.isLost else { throw error }
                losses += 1
                guard losses < Document.patience || ContinuousClock.now - start < database.busyTimeout else {
                    throw error
                }
            }
        }
    }

    /// An update starts again this often, however long `busyTimeout` is.
    private static let patience = 1000
}

/// Thrown by the closure of an update to end the call without saving; `update` then returns nil.
///
/// The result of the closure cannot say this: a closure that happens to end in a Boolean expression would silently lose
/// its change.
public struct UpdateCancelled: Error, Sendable {
    public init() {}
}

extension UpdateCancelled: LocalizedError {
    /// The description in case no `update` catches it.
    public var errorDescription: String? {
        "The update was cancelled, and nothing was saved. Throw UpdateCancelled inside the closure of an update only."
    }
}
