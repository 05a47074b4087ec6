import Foundation
import Settee
import StorageConformance
import StorageProtocol
import Testing

/// The storage types that every promise of the engine is tested on.
enum Storage {
    private static let isLong = ProcessInfo.processInfo.environment["SETTEE_STRESS"] != nil
    /// Encrypted ones are in the long form only, for they take the time of plain ones once more.
    static let all: [StorageType] = [.memory] + persistent
    /// Those whose databases are folders on disk.
    static let persistent: [StorageType] = isLong ? everyPersistent : plainPersistent
    /// All in the short form too: for tests that depend on the engine most.
    static let every: [StorageType] = [.memory] + everyPersistent
    static let everyPersistent: [StorageType] = [.sqlite, .sqlcipher, .lmdb]
    /// Those that need no key: for tests that open databases by means of their own, or in another process.
    static let plain: [StorageType] = [.memory] + plainPersistent
    static let plainPersistent: [StorageType] = [.sqlite, .lmdb]

    /// The key of databases of a type that needs one.
    static func key(_ type: StorageType) throws -> StorageKey? {
        guard factory(type).capabilities.requiresKey else { return nil }
        let bytes = [UInt8](repeating: 0x5E, count: StorageKey.rawLength)
        return try StorageKey(bytes: bytes.span.bytes)
    }

    static func factory(_ type: StorageType) -> any StorageEngineFactory {
        guard let factory = BuiltInEngines.all.first(where: { $0.storageType == type }) else {
            preconditionFailure("The storage type \(type) is not built in.")
        }
        return factory
    }
}

/// A folder of its own for one test; it goes with the last reference.
final class TemporaryFolder: Sendable {
    let url: URL

    init() throws {
        url = FileManager.default.temporaryDirectory.appending(path: "settee-engine-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(at: url) }
}

/// Opens another factory's stores and keeps hold of them, so that a test can look below the database.
final class KeepingFactory: ForwardingEngineFactory {
    let base: any StorageEngineFactory
    private let kept = Locked<[(directory: String, engine: any StorageEngine)]>([])

    init(_ base: any StorageEngineFactory) { self.base = base }

    func open(directory: String, options: StorageOptions) throws(StorageError) -> any StorageEngine {
        let engine = try base.open(directory: directory, options: options)
        kept.withLock { $0.append((directory, engine)) }
        return engine
    }

    /// The store that was opened last in the folder of `database`, or first where it has none.
    func engine(of database: Database) -> (any StorageEngine)? {
        kept.withLock { kept in
            guard let path = database.path else { return kept.first?.engine }
            return kept.last { $0.directory.hasPrefix(path + "/") }?.engine
        }
    }
}

/// A database in a manager in a folder of its own.
final class TestBed {
    private(set) var type: StorageType
    let folder: TemporaryFolder
    let manager: Manager
    private let factories: [KeepingFactory]
    private(set) var database: Database

    init(_ type: StorageType, wrapping: (any StorageEngineFactory)? = nil) throws {
        self.type = type
        folder = try TemporaryFolder()
        let others = Storage.everyPersistent.filter { $0 != type }.map { Storage.factory($0) }
        factories = ([wrapping ?? Storage.factory(type)] + others).map { KeepingFactory($0) }
        manager = try Manager(directory: folder.url, options: .init(storageType: type), engines: factories)
        database = try manager.database(named: "test", options: TestBed.options(type))
    }

    /// Those of a database of a type, with a key where it needs one.
    static func options(_ type: StorageType) throws -> DatabaseOptions {
        var options = options
        options.key = try Storage.key(type)
        return options
    }

    /// Most promises do not depend on the disk's sync. Nothing is rewritten by itself: some tests count the engine's calls.
    static let options = DatabaseOptions(durability: .normal, compactionThreshold: nil)

    private var factory: KeepingFactory {
        guard let factory = factories.first(where: { $0.storageType == type }) else {
            preconditionFailure("The bed has no engine for \(type).")
        }
        return factory
    }

    var isPersistent: Bool { factory.capabilities.location != .memory }

    func engine() throws -> any StorageEngine { try #require(factory.engine(of: database)) }

    /// Closes the database and opens it again, where it outlives its engine.
    func reopen() throws {
        guard isPersistent else { return }
        try database.close()
        database = try manager.database(named: "test", options: TestBed.options(type))
    }

    /// Converts the open database.
    func convert(to other: StorageType) throws {
        let key = try Storage.key(other)
        try database.convert(to: other, key: key, decrypt: key == nil)
        type = other
    }

    /// Closes the database, puts the one at `url` in its place, and opens that.
    func replace(by url: URL) throws {
        try database.close()
        try manager.replaceDatabase(named: "test", from: url, key: Storage.key(type))
        database = try manager.database(named: "test", options: TestBed.options(type))
    }
}

/// Runs `body` with a new, empty database; afterwards the database must be healthy and nothing may be left open.
func withDatabase(
    _ type: StorageType,
    sourceLocation: SourceLocation = #_sourceLocation,
    _ body: (TestBed) throws -> Void
) throws {
    let bed = try TestBed(type)
    try body(bed)
    try expectHealthy(bed, sourceLocation: sourceLocation)
}

/// Runs `body` with a new, empty database; afterwards the database must be healthy and nothing may be left open.
func withDatabase(
    _ type: StorageType,
    sourceLocation: SourceLocation = #_sourceLocation,
    _ body: (TestBed) async throws -> Void
) async throws {
    let bed = try TestBed(type)
    try await body(bed)
    try expectHealthy(bed, sourceLocation: sourceLocation)
}

private func expectHealthy(_ bed: TestBed, sourceLocation: SourceLocation) throws {
    if bed.database.isOpen {
        #expect(try bed.database.check().map(\.description) == [], sourceLocation: sourceLocation)
        // The timer of expiries reads for itself now and then.
        try expectEventually(sourceLocation: sourceLocation) { try bed.engine().statistics().openTransactions == 0 }
    }
    try bed.manager.close()
}
