internal import Foundation
internal import Settee
package import StorageProtocol

/// The storage types that all promises of the engine are tested on.
package enum Storage {
    private static let isLong = ProcessInfo.processInfo.environment["SETTEE_STRESS"] != nil
    /// Encrypted ones and RocksDB only in the long form, since each takes as long as a plain one again.
    package static let all: [StorageType] = [.memory] + persistent
    /// Those whose databases are folders on disk.
    package static let persistent: [StorageType] = isLong ? everyPersistent : plainPersistent
    /// All, even in the short form: for tests that depend on the engine most.
    package static let every: [StorageType] = [.memory] + everyPersistent
    package static let everyPersistent: [StorageType] = [.sqlite, .sqlcipher, .lmdb] + rocksDB
    /// Those whose databases several processes can have open.
    package static let shared = everyPersistent.filter { factory($0).capabilities.sharing == .multiProcess }
    /// Built with the package's trait only.
    #if RocksDB
    package static let rocksDB: [StorageType] = [.rocksdb]
    #else
    package static let rocksDB: [StorageType] = []
    #endif
    /// Those that need no key: for tests that open databases in their own way, or in another process.
    package static let plain: [StorageType] = [.memory] + plainPersistent
    package static let plainPersistent: [StorageType] = isLong ? everyPlainPersistent : plainShared
    /// Those of them whose databases several processes can have open.
    package static let plainShared: [StorageType] = [.sqlite, .lmdb]
    /// With RocksDB even in the short form: for tests of how databases are opened, closed and copied.
    package static let everyPlain: [StorageType] = [.memory] + everyPlainPersistent
    package static let everyPlainPersistent: [StorageType] = plainShared + rocksDB

    /// The key of databases of a type that needs one.
    package static func key(_ type: StorageType) throws -> StorageKey? {
        guard factory(type).capabilities.requiresKey else { return nil }
        let bytes = (0..<UInt8(StorageKey.rawLength)).map { 0x5E ^ $0 }
        return try unsafe StorageKey(bytes: bytes.span.bytes)
    }

    package static func factory(_ type: StorageType) -> any StorageEngineFactory {
        guard let factory = BuiltInEngines.all.first(where: { $0.storageType == type }) else {
            preconditionFailure("The storage type \(type) is not built in.")
        }
        return factory
    }
}
