public import Foundation
public import SetteeEngine
public import StorageProtocol

extension AsyncManager {
    /// As `Manager.importCouchbaseLite`. Cancelling the task ends it with `CancellationError`, and leaves nothing.
    ///
    /// - Parameter progress: told how many documents are done, of how many, on another thread.
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

    /// As `Manager.replaceDatabase(named:fromCouchbaseLite:)`. Cancelling the task while the old database is read ends
    /// it with `CancellationError`; what was to be replaced is as it was then.
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
