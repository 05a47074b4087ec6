public import Foundation
public import SetteeEngine

extension AsyncDatabase {
    /// Like `Database.copy`. If the task is cancelled, it throws `CancellationError` and leaves nothing.
    public func copy(to url: URL) async throws { try await run { try $0.copy(to: url) } }
}
