public import Foundation
public import SetteeEngine
internal import SetteeStorageFiles
public import StorageProtocol

extension Database {
    /// Copies the database, as it is at one moment, to a new folder: documents with all their revisions, attachments,
    /// local documents, expiries and info values. The database stays open. Reading and writing continue, here and in
    /// other processes; each commit made during the copy is in it as a whole or not at all.
    ///
    /// The copy is a database of its own: it has new UUIDs, and remembers the private one of this database. It appears
    /// at `url` when it is complete and on disk; a kill leaves nothing there. The files of attachments are shared by
    /// hard links if the file system can; neither database ever changes one.
    ///
    /// - Parameter url: the folder to be made. Nothing may exist there yet, and its parent folder must exist. No suffix
    ///   is added.
    /// - Throws: `exists` (412) if anything is at `url`, `notImplemented` (501) for a database in memory, `callback`
    ///   (593) inside a transaction, snapshot or closure, `fileSystem` (498), `full` (507), `badParameter` (495) if
    ///   `url` is not a file URL, `corrupt` (591), `notOpen` (503).
    /// - Complexity: O(size of the database), without attachments if they are linked.
    public func copy(to url: URL) throws(StorageError) {
        guard url.isFileURL else { throw .noFileURL }
        try Log.holdingBack { () throws(StorageError) in
            try DatabaseCopier.copying(self, mayLink: !isReadOnly) { (copier) throws(StorageError) in
                // Nil if a database is open there.
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
