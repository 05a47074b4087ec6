import Foundation
import Settee
import SetteeTestSupport
import StorageProtocol
import Testing

extension LogTests {
    /// A handler used to be called while holding the lock for opening databases, and one that opened a database waited
    /// for ever.
    @Test(arguments: Storage.plainPersistent)
    func aHandlerMayOpenDatabases(type: StorageType) throws {
        let folder = try TemporaryFolder()
        let paths = ["own", "other"].map { folder.url.appending(path: $0).path }
        let copy = folder.url.appending(path: "copy")
        let options = DatabaseOptions(storageType: type, durability: .normal, compactionThreshold: nil)
        let opened = Locked(0)
        Log.setLevel(.trace)
        defer { Log.setLevel(Log.defaultLevel) }
        let work = Background {
            try Captured.during {
                for _ in 0..<3 {
                    let database = try Database.open(at: URL(fileURLWithPath: paths[0]), options: options)
                    try database["a"].put([:])
                    try database.compact()
                    try database.close()
                    expectError(.invalidStorageType) {
                        let wrong = DatabaseOptions(
                            storageType: type == .sqlite ? .lmdb : .sqlite,
                            onMismatch: .fail
                        )
                        _ = try Database.open(at: URL(fileURLWithPath: paths[0]), options: wrong)
                    }
                    let again = try Database.open(at: URL(fileURLWithPath: paths[0]), options: options)
                    try again.copy(to: copy)
                    try Database.open(at: copy, options: options).delete()
                    try again.delete()
                }
            } each: {
                for path in paths {
                    let database = try? Database.open(at: URL(fileURLWithPath: path), options: options)
                    guard let database, (try? database.documentCount) != nil else { continue }
                    opened.withLock { $0 += 1 }
                }
            }
        }
        #expect(work.ends(within: 600), "somebody waits for ever")
        try work.join()
        #expect(opened.withLock { $0 } > 0)
    }

    /// The end of a transaction was logged while it was still its thread's turn to write.
    @Test(arguments: Storage.all)
    func aHandlerMayWriteToTheDatabaseThatLogs(type: StorageType) throws {
        let bed = try TestDatabase(type)
        let database = bed.database
        let written = Locked(0)
        Log.setLevel(.trace, for: .document)
        defer { Log.setLevel(Log.defaultLevel) }
        let work = Background {
            try Captured.during {
                try database["a"].put([:])
                expectApplicationError { try database.inTransaction { throw ApplicationError() } }
            } each: {
                guard (try? database["log"].put(["n": 1])) != nil || (try? database["log"].delete()) != nil
                else { return }
                written.withLock { $0 += 1 }
            }
        }
        #expect(work.ends(within: 60), "the handler waits for its own thread")
        try work.join()
        #expect(written.withLock { $0 } > 0)
    }
}
