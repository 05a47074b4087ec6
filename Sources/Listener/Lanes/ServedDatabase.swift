internal import SetteeDesignDocuments
internal import SetteeDocumentValues
internal import SetteeEngine
internal import SetteeJavaScript
internal import StorageProtocol

/// A database that is being served.
final class ServedDatabase: Sendable {
    let name: String
    let database: Database
    /// For single writes.
    let lane: WriteLane
    let designs: DesignDocuments
    /// For feeds of changes.
    let signal: ChangeSignal
    /// Stays the same while this file is that database; in entity tags of listings.
    let uuid: String
    /// A number as text that stays the same as long as `uuid` does: CouchDB takes a database with another
    /// `instance_start_time` for another one, or one that has lost its latest writes.
    let startTime: String

    init(
        _ name: String,
        _ database: Database,
        threads: BlockingThreads,
        judging: LongCalls,
        javaScript: JavaScriptPool,
        metrics: ListenerMetrics
    ) throws(StorageError) {
        self.name = name
        self.database = database
        designs = DesignDocuments(database, pool: javaScript)
        lane = WriteLane(database, threads: threads, judging: judging, metrics: metrics)
        signal = ChangeSignal(database)
        uuid = try database.publicUUID.lowercased().filter { $0 != "-" }
        startTime = String(UInt64(uuid.prefix(12), radix: 16) ?? 0)
    }

    /// Keeps digests that reading has computed, so that the next request does not read the contents again.
    func keepDigests(on threads: BlockingThreads) {
        guard database.hasComputedMD5s else { return }
        Task { [database] in try? await threads.run { try database.keepComputedMD5s() } }
    }

    // MARK: Who may use it

    private struct KnownSecurity {
        var security = DatabaseSecurity.open
        var text: String?
        /// Another number for each text.
        var version: UInt64 = 0
        var read: ContinuousClock.Instant?
    }

    private let knownSecurity = Locked(KnownSecurity())
    private static let securityKey = "couchdb/_security"
    /// Another process may have changed it.
    private static let longestKnown = Duration.milliseconds(500)

    /// The `_security` object. It is kept in the database and copied with it. Blocks.
    func security() throws -> DatabaseSecurity { try presentSecurity().security }

    /// Another number whenever `security` has changed. Blocks.
    func securityVersion() throws -> UInt64 { try presentSecurity().version }

    private func presentSecurity() throws -> KnownSecurity {
        let known = knownSecurity.withLock { $0 }
        if let read = known.read, read + ServedDatabase.longestKnown > .now { return known }
        let now = ContinuousClock.now
        let text = try database.info[ServedDatabase.securityKey]
        let isSame = known.read != nil && text.map { Array($0.utf8) } == known.text.map { Array($0.utf8) }
        let security =
            isSame ? known.security : try text.map { try DatabaseSecurity(parsing: Array($0.utf8)) } ?? .open
        return knownSecurity.withLock { known in
            known.security = security
            known.text = text
            if !isSame { known.version &+= 1 }
            known.read = now
            return known
        }
    }

    func setSecurity(_ security: DatabaseSecurity) throws {
        let text = String(decoding: try security.document.canonicalBytes(), as: UTF8.self)
        try database.info.set(text, for: ServedDatabase.securityKey)
        knownSecurity.withLock { $0.read = nil }
    }
}
