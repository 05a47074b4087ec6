internal import Foundation
package import StorageProtocol

extension Database {
    private static let newIDs = OrderedUUIDs()

    /// Returns a new document ID: a UUID of version 7 in lower case, above all that this process made before.
    package static func makeID() -> String { newIDs.next() }

    /// - Parameters:
    ///   - isNew: the caller read that there is no document, so an existing one is a conflict.
    ///   - race: notified if the parent cannot be followed.
    package func put(
        _ id: DocumentID,
        _ body: DocumentBody,
        parent: RevisionID?,
        isNew: Bool = false,
        allowConflict: Bool = false,
        race: SaveRace? = nil
    ) throws(StorageError) -> SavedRevision {
        let parent = try body.parent(given: parent, of: id)
        if body.expiration != nil { try Database.refuseLocalExpiry(id) }
        if id.isLocal {
            return try putLocal(id, body, parent: parent, isNew: isNew, race: race)
        }
        return try change { (session) throws(StorageError) in
            let writer = DocumentWriter(session)
            let saved = try writer.save(id, body, parent: parent, allowConflict: allowConflict, race: race)
            if let expiration = body.expiration { try setExpiration(expiration, of: id) }
            return saved
        }
    }

    func delete(_ id: DocumentID, parent: RevisionID?) throws(StorageError) -> SavedRevision {
        if id.isLocal { return try deleteLocal(id, parent: parent) }
        return try change { (session) throws(StorageError) in try DocumentWriter(session).delete(id, parent: parent) }
    }

    func purge(_ id: DocumentID) throws(StorageError) -> Bool {
        if id.isLocal { return try purgeLocal(id) }
        return try change { (session) throws(StorageError) in try DocumentWriter(session).purge(id) }
    }

    /// Adds a revision that was made elsewhere, with the IDs of its ancestors (newest first, its own at the front).
    /// Does nothing if it exists already.
    ///
    /// - Returns: whether the revision was new.
    package func forceInsert(
        _ id: DocumentID,
        history: [RevisionID],
        _ body: DocumentBody,
        source: String? = nil
    ) throws(StorageError) -> Bool {
        guard !id.isLocal else {
            throw StorageError(.badID, "Local documents have no history. Save them without one.")
        }
        return try change { (session) throws(StorageError) in
            try DocumentWriter(session).insert(id, history: history, body, source: source)
        }
    }
}
