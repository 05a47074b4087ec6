internal import SetteeStorageFiles
internal import StorageProtocol

/// A thread's right to open, make, delete or replace what is at one place: others of this process wait until it is
/// over. Whoever is given one ends it.
final class Occupancy: Sendable {
    /// A place where a database of this process may be.
    enum Place: Hashable, Sendable {
        case folder(FolderPlace)
        /// In memory, of one manager. Its number is nobody else's, ever: what it has made may outlive it.
        case memory(name: [UInt8], manager: UInt64)
    }

    let thread = ThreadIdentity.current
    /// Opens when it is over.
    let over = Latch()
    /// Used under the lock of `OpenDatabases`: where it holds. None: it is over.
    let places: Locked<[Place]>

    init(_ place: Place) { places = Locked([place]) }

    /// The folder that is there; nil where there is none.
    var folder: FileIdentity? {
        for place in places.withLock({ $0 }) {
            if case .folder(.folder(let identity)) = place { return identity }
        }
        return nil
    }

    /// Holds for the folder that is about to have the name, too: who comes by another path finds it under its identity.
    func extend(to identity: FileIdentity) { OpenDatabases.extend(self, to: .folder(.folder(identity))) }

    /// Ends with a database that is open.
    func settle(as database: Database) { OpenDatabases.end(self, with: database) }

    /// Ends. A second call does nothing.
    func release() { OpenDatabases.end(self, with: nil) }
}
