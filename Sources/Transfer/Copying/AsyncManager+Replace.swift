public import Foundation
public import SetteeEngine
public import StorageProtocol

extension AsyncManager {
    /// Like `Manager.replaceDatabase(named:from:)`. If the task is cancelled while the source is read, it throws
    /// `CancellationError` and leaves the old database as it was.
    public func replaceDatabase(
        named name: String,
        from url: URL,
        key: StorageKey? = nil,
        decrypt: Bool = false
    ) async throws {
        try await perform { try $0.replaceDatabase(named: name, from: url, key: key, decrypt: decrypt) }
    }
}
