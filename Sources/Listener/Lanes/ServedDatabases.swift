internal import SetteeCouchProtocol
internal import SetteeEngine
internal import SetteeJavaScript
internal import StorageProtocol

/// The databases that requests have asked for, opened once each. All calls block.
final class ServedDatabases: Sendable {
    private let manager: Manager
    private let keys: DatabaseKeys
    /// Whether only checkpoints are written, where files can be.
    private let isReadOnly: Bool
    private let threads: BlockingThreads
    private let judging: LongCalls
    private let javaScript: JavaScriptPool
    private let metrics: ListenerMetrics
    private let open: Locked<[String: ServedDatabase]> = Locked([:])
    /// Held while a database is made, so that only one request makes it.
    private let making: Locked<Int> = Locked(0)

    init(
        _ manager: Manager,
        keys: DatabaseKeys,
        isReadOnly: Bool,
        threads: BlockingThreads,
        judging: LongCalls,
        javaScript: JavaScriptPool,
        metrics: ListenerMetrics
    ) {
        self.manager = manager
        self.keys = keys
        self.isReadOnly = isReadOnly
        self.threads = threads
        self.judging = judging
        self.javaScript = javaScript
        self.metrics = metrics
    }

    /// Those that are open.
    var all: [ServedDatabase] { open.withLock { Array($0.values) } }

    /// The database if it is open already; for requests that need not wait.
    func opened(_ name: String) -> ServedDatabase? {
        open.withLock { $0[name] }.flatMap { $0.database.isOpen ? $0 : nil }
    }

    /// The same, if its folder is where it was. One whose folder was removed or replaced is closed and forgotten, so
    /// that the next request opens what is at its place.
    ///
    /// - Parameter isRead: Whether the request can be answered from what is there now.
    /// - Throws: for other requests, which follow from what the client has read, `database_removed` (410) if the folder
    ///   was removed, and `database_replaced` (503) if there is another one.
    func inPlace(_ name: String, isRead: Bool) throws(CouchError) -> ServedDatabase? {
        guard let served = opened(name) else { return nil }
        if served.database.isInPlace { return served }
        forget(served)
        guard !isRead else { return nil }
        throw served.database.isFolderRemoved ? .databaseRemoved : .databaseReplaced
    }

    private func forget(_ served: ServedDatabase) {
        let isFirst = open.withLock { open in
            guard open[served.name] === served else { return false }
            open[served.name] = nil
            return true
        }
        guard isFirst else { return }
        served.signal.stop()
        // It waits for calls that are still reading from it.
        Task { [threads] in try? await threads.run { try served.database.close() } }
    }

    /// Returns the database with a name.
    ///
    /// - Throws: `not_found` (404) if there is none; `forbidden` (403) if no key opens it; errors of opening it.
    func database(_ name: String) throws -> ServedDatabase {
        if let served = try inPlace(name, isRead: true) { return served }
        guard Manager.isValidDatabaseName(name) else { throw CouchError.illegalDatabaseName }
        do {
            guard let database = try keys.open(name, in: manager, mayOnlyRead: isReadOnly) else {
                throw CouchError.noDatabase
            }
            return try keep(name, database)
        } catch let error as StorageError {
            throw CouchError(error, about: .database)
        }
    }

    /// Makes a database.
    ///
    /// - Throws: `file_exists` (412) if there is one; `illegal_database_name` (400); `forbidden` (403) if new databases
    ///   need a key that nobody has given.
    func create(_ name: String) throws {
        guard Manager.isValidDatabaseName(name) else { throw CouchError.illegalDatabaseName }
        do {
            try making.withLock { made in
                _ = try inPlace(name, isRead: true)
                guard try !manager.allDatabaseNames.contains(name) else { throw CouchError.databaseExists }
                let served = try keep(name, keys.make(name, in: manager))
                try served.database.keepReplicatedHistories()
                made += 1
            }
        } catch let error as StorageError {
            throw CouchError(error, about: .database)
        }
    }

    /// Deletes a database. Requests that use it meanwhile end with an error.
    ///
    /// - Throws: `not_found` (404) if there is none; as `inPlace` if its folder was removed or replaced.
    func delete(_ name: String) throws(CouchError) {
        guard Manager.isValidDatabaseName(name) else { throw CouchError.illegalDatabaseName }
        _ = try inPlace(name, isRead: false)
        do throws(StorageError) {
            try manager.deleteDatabase(named: name)
        } catch {
            throw CouchError(error, about: .database)
        }
        open.withLock { $0[name] = nil }
    }

    func names() throws(CouchError) -> [String] {
        do throws(StorageError) {
            return try manager.allDatabaseNames
        } catch {
            throw CouchError(error, about: .database)
        }
    }

    private func keep(_ name: String, _ database: Database) throws(StorageError) -> ServedDatabase {
        let served = try ServedDatabase(
            name,
            database,
            threads: threads,
            judging: judging,
            javaScript: javaScript,
            metrics: metrics
        )
        return open.withLock {
            if let other = $0[name], other.database.isOpen { return other }
            $0[name] = served
            return served
        }
    }
}
