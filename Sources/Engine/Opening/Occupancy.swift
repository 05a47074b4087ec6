package import SetteeStorageFiles
internal import StorageProtocol

/// A thread's right to open, create, delete or replace the database at one place. Other threads of this process wait
/// until it ends. The thread that receives it must end it.
package final class Occupancy: Sendable {
    /// A place where a database of this process may be.
    enum Place: Hashable, Sendable {
        case folder(FolderPlace)
        /// In memory, of one manager. Its number is never reused, because its databases may outlive it.
        case memory(name: [UInt8], manager: UInt64)
    }

    let thread = ThreadIdentity.current
    /// Opens when the occupancy ends.
    let over = Latch()
    /// The places it covers. Used under the lock of `OpenDatabases`. Empty: it has ended.
    let places: Locked<[Place]>

    init(_ place: Place) { places = Locked([place]) }

    /// The folder at the place; nil if there is none.
    package var folder: FileIdentity? {
        for place in places.withLock({ $0 }) {
            if case .folder(.folder(let identity)) = place { return identity }
        }
        return nil
    }

    /// Also covers the folder that is about to get the name, because a thread that uses another path finds it by its
    /// identity.
    package func extend(to identity: FileIdentity) { OpenDatabases.extend(self, to: .folder(.folder(identity))) }

    /// Ends with an open database.
    func settle(as database: Database) { OpenDatabases.end(self, with: database) }

    /// Ends. Calling it again has no effect.
    package func release() { OpenDatabases.end(self, with: nil) }
}
