internal import SetteeCouchProtocol
internal import SetteeEngine
internal import StorageProtocol

/// Opens and makes databases with the keys that the listener was given. All calls block.
///
/// No key is tried where none is needed: a database that is not encrypted is served as what it is.
final class DatabaseKeys: Sendable {
    /// Opens encrypted databases.
    private let existing: StorageKey?
    /// Encrypts new databases, and opens them.
    private let new: StorageKey?
    /// When a key did not open a database: to find that out takes as long as to open it, and each request would.
    private let refusals: Locked<[String: ContinuousClock.Instant]> = Locked([:])

    private static let remembered = Duration.seconds(10)

    init(existing: StorageKey? = nil, new: StorageKey? = nil) {
        self.existing = existing
        self.new = new
    }

    /// Opens a database; nil if there is none.
    ///
    /// - Parameter mayOnlyRead: Whether one whose files this user cannot write is opened read-only.
    /// - Throws: `forbidden` (403) if it is encrypted and no key opens it; errors of opening it.
    func open(_ name: String, in manager: Manager, mayOnlyRead: Bool) throws -> Database? {
        if let refused = refusals.withLock({ $0[name] }), refused + DatabaseKeys.remembered > .now {
            throw DatabaseKeys.locked
        }
        for key in [nil] + [existing, new].filter({ $0 != nil }) {
            do throws(StorageError) {
                return try DatabaseKeys.open(name, in: manager, key, mayOnlyRead: mayOnlyRead)
            } catch {
                guard error.code == .unauthorized else { throw error }
            }
        }
        if existing != nil || new != nil { refusals.withLock { $0[name] = .now } }
        throw DatabaseKeys.locked
    }

    private static func open(
        _ name: String,
        in manager: Manager,
        _ key: StorageKey?,
        mayOnlyRead: Bool
    ) throws(StorageError) -> Database? {
        do throws(StorageError) {
            return try manager.existingDatabase(named: name, options: DatabaseOptions(key: key))
        } catch {
            guard mayOnlyRead, error.code == .readOnly else { throw error }
            return try manager.existingDatabase(named: name, options: DatabaseOptions(readOnly: true, key: key))
        }
    }

    /// Makes a database, which must not be there.
    ///
    /// - Throws: `forbidden` (403) if encrypted databases are served and nobody said how new ones are encrypted; errors
    ///   of making it.
    func make(_ name: String, in manager: Manager) throws -> Database {
        // With a key in use, a new database that is not encrypted would be a surprise.
        guard new != nil || existing == nil else {
            throw CouchError.forbidden("This server has a key for the databases there are, and none for new ones.")
        }
        return try manager.database(named: name, options: DatabaseOptions(key: new))
    }

    private static let locked = CouchError.forbidden("The database is encrypted, and this server has not its key.")
}
