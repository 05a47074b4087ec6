public import Foundation
public import SetteeEngine
public import StorageProtocol

extension AsyncManager {
    /// Like `Manager.importCouchbaseLite`. Cancelling the task ends it with `CancellationError`, and nothing is left.
    ///
    /// - Parameter progress: called on another thread with the number of documents done and their total.
    public func importCouchbaseLite(
        named name: String,
        from url: URL,
        key: StorageKey? = nil,
        options: DatabaseOptions = DatabaseOptions(),
        decrypt: Bool = false,
        progress: @escaping @Sendable (_ documents: Int, _ total: Int) -> Void = { _, _ in }
    ) async throws -> CouchbaseLiteReport {
        let manager = self.manager
        return try await AsyncDatabase.perform(on: AsyncDatabase.writers, until: .start) {
            try manager.importCouchbaseLite(named: name, from: url, key: key, options: options, decrypt: decrypt) {
                (documents, total) throws(StorageError) in
                try AsyncDatabase.requireTask()
                progress(documents, total)
            }
        }
    }

    /// Like `Manager.replaceDatabase(named:fromCouchbaseLite:)`. Cancelling the task while the old database is read
    /// ends it with `CancellationError`; the database to be replaced is unchanged then.
    ///
    /// - Parameter progress: as above.
    public func replaceDatabase(
        named name: String,
        fromCouchbaseLite url: URL,
        key: StorageKey? = nil,
        decrypt: Bool = false,
        progress: @escaping @Sendable (_ documents: Int, _ total: Int) -> Void = { _, _ in }
    ) async throws -> CouchbaseLiteReport {
        let manager = self.manager
        return try await AsyncDatabase.perform(on: AsyncDatabase.writers, until: .start) {
            try manager.replaceDatabase(named: name, fromCouchbaseLite: url, key: key, decrypt: decrypt) {
                (documents, total) throws(StorageError) in
                try AsyncDatabase.requireTask()
                progress(documents, total)
            }
        }
    }
}
