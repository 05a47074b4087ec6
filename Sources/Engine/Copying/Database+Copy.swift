public import Foundation
internal import SetteeStorageFiles
public import StorageProtocol

extension Database {
    /// Copies the database, as it is at one moment, to a new folder: documents with all their revisions, attachments,
    /// local documents, expiries and info values. The database stays open; reading and writing go on, here and in other
    /// processes, and each commit that is made meanwhile is in it as a whole or not at all.
    ///
    /// The copy is a database of its own: it has new UUIDs, and remembers the private one of this database. It appears
    /// at `url` when it is complete and on disk; a kill leaves nothing there. Attachments' files are shared by hard
    /// links where the file system can; neither database ever changes one.
    ///
    /// - Parameter url: where the folder is to be; nothing is there yet, and the folder above exists. No suffix is
    ///   added.
    /// - Throws: `exists` (412) where anything is at `url`, `notImplemented` (501) for a database in memory, `callback`
    ///   (593) inside a transaction, snapshot or closure, `fileSystem` (498), `full` (507), `badParameter` (495) where
    ///   `url` is not a file's, `corrupt` (591), `notOpen` (503).
    /// - Complexity: O(size of the database), without attachments where they are linked.
    public func copy(to url: URL) throws(StorageError) {
        guard url.isFileURL else { throw .noFileURL }
        try Log.holdingBack { () throws(StorageError) in
            try DatabaseCopier.copying(self, mayLink: !isReadOnly) { (copier) throws(StorageError) in
                // Nil: a database is open there.
                var occupancy: Occupancy?
                if case .occupied(let taken) = try OpenDatabases.occupy(url.path) { occupancy = taken }
                defer { occupancy?.release() }
                try DatabaseFolder.create(
                    at: url.path,
                    members: copier.members,
                    seal: copier.seal,
                    willAppear: { occupancy?.extend(to: $0) },
                    prepare: { (data) throws(StorageError) in try copier.copyData(to: data) },
                    prepareBlobs: { (blobs) throws(StorageError) in try copier.copyBlobs(to: blobs) }
                )
            }
        }
        Log.log(.info, .database, "\(name) was copied to '\(url.path)'")
    }
}
