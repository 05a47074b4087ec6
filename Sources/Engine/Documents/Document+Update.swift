public import Foundation
public import SetteeDocumentValues
internal import StorageProtocol

extension Document {
    /// Reads the body (an empty object where the document is missing or deleted), lets `change` edit it, and saves it
    /// on top of what was read; where another writer came between, it starts again with the new body.
    ///
    /// `change` may therefore run more than once, and must not call the database (`callback`, 593).
    ///
    /// - Parameter change: edits the body. Throwing `UpdateCancelled` ends the call without saving.
    /// - Returns: the new revision; nil where `change` threw `UpdateCancelled`.
    /// - Throws: what `change` throws; what a validation function refuses the revision with; `readOnly` (403),
    ///   `tooLarge` (413), `inUse` (423), `badJSON` (493), `badID` (494), `notOpen` (503), `callback` (593) inside
    ///   `read` or another `update`. `conflict` (409) only where others were quicker 1,000 times, and for longer than
    ///   `DatabaseOptions.busyTimeout`.
    @discardableResult
    public func update(_ change: (inout JSONObject) throws -> Void) throws -> SavedRevision? {
        try updateRevision { try change(&$0.properties) }
    }

    /// As `update(_:)`, with the whole revision to edit: `isDeleted` makes a tombstone that keeps the properties.
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

    /// So often an update begins again, however long `busyTimeout` is.
    private static let patience = 1000
}

/// Thrown by the closure of an update, it ends the call without saving: `update` returns nil.
///
/// A closure cannot say so by what it returns: one that happens to end in a Boolean would lose its change in silence.
public struct UpdateCancelled: Error, Sendable {
    public init() {}
}

extension UpdateCancelled: LocalizedError {
    /// What it means where no `update` has caught it.
    public var errorDescription: String? {
        "The update was cancelled, and nothing was saved. Throw UpdateCancelled inside the closure of an update only."
    }
}
