package import Foundation
package import Settee
internal import StorageConformance
package import StorageProtocol
package import Testing

/// A database in a manager in a folder of its own.
package final class TestDatabase {
    package private(set) var type: StorageType
    package let folder: TemporaryFolder
    package let manager: Manager
    private let factories: [KeepingFactory]
    package private(set) var database: Database

    package init(
        _ type: StorageType,
        wrapping: (any StorageEngineFactory)? = nil,
        modules: [DatabaseModule] = []
    ) throws {
        self.type = type
        folder = try TemporaryFolder()
        let others = Storage.everyPersistent.filter { $0 != type }.map { Storage.factory($0) }
        factories = ([wrapping ?? Storage.factory(type)] + others).map { KeepingFactory($0) }
        manager = try Manager(
            directory: folder.url,
            options: .init(storageType: type),
            engines: factories,
            modules: DatabaseModule.builtIn + modules
        )
        database = try manager.database(named: "test", options: TestDatabase.options(type))
    }

    /// The options for a database of a type, with a key if it needs one.
    package static func options(_ type: StorageType) throws -> DatabaseOptions {
        var options = options
        options.key = try Storage.key(type)
        return options
    }

    /// Most tests do not depend on disk syncs. There are no automatic rewrites: some tests count the engine's calls.
    package static let options = DatabaseOptions(durability: .normal, compactionThreshold: nil)

    private var factory: KeepingFactory {
        guard let factory = factories.first(where: { $0.storageType == type }) else {
            preconditionFailure("The bed has no engine for \(type).")
        }
        return factory
    }

    package var isPersistent: Bool { factory.capabilities.location != .memory }

    package func engine() throws -> any StorageEngine { try #require(factory.engine(of: database)) }

    /// Closes the database and opens it again, if it is persistent.
    package func reopen() throws {
        guard isPersistent else { return }
        try database.close()
        database = try manager.database(named: "test", options: TestDatabase.options(type))
    }

    /// Converts the open database.
    package func convert(to other: StorageType) throws {
        let key = try Storage.key(other)
        try database.convert(to: other, key: key, decrypt: key == nil)
        type = other
    }

    /// Closes the database, puts the one at `url` in its place, and opens that.
    package func replace(by url: URL) throws {
        try database.close()
        try manager.replaceDatabase(named: "test", from: url, key: Storage.key(type))
        database = try manager.database(named: "test", options: TestDatabase.options(type))
    }
}

/// Runs `body` with a new, empty database; afterwards the database must be healthy and nothing may be left open.
package func withDatabase(
    _ type: StorageType,
    modules: [DatabaseModule] = [],
    sourceLocation: SourceLocation = #_sourceLocation,
    _ body: (TestDatabase) throws -> Void
) throws {
    let bed = try TestDatabase(type, modules: modules)
    try body(bed)
    try expectHealthy(bed, sourceLocation: sourceLocation)
}

/// Runs `body` with a new, empty database; afterwards the database must be healthy and nothing may be left open.
package func withDatabase(
    _ type: StorageType,
    sourceLocation: SourceLocation = #_sourceLocation,
    _ body: (TestDatabase) async throws -> Void
) async throws {
    let bed = try TestDatabase(type)
    try await body(bed)
    try expectHealthy(bed, sourceLocation: sourceLocation)
}

private func expectHealthy(_ bed: TestDatabase, sourceLocation: SourceLocation) throws {
    if bed.database.isOpen {
        #expect(try bed.database.check().map(\.description) == [], sourceLocation: sourceLocation)
        // The expiry timer sometimes reads by itself.
        try expectEventually(sourceLocation: sourceLocation) { try bed.engine().statistics().openTransactions == 0 }
    }
    try bed.manager.close()
}
