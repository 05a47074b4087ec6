#if Sync
internal import SetteeReplicator
internal import StorageProtocol

/// Counts what becomes of documents.
final class ReplicateTally: Sendable {
    /// So many refused documents are kept.
    static let most = 20

    private struct State {
        var passed = 0
        var failed = 0
        var refused: [ReplicatedDocument] = []
    }

    private let state = Locked(State())

    func add(_ document: ReplicatedDocument) {
        state.withLock { state in
            if document.error == nil {
                state.passed += 1
            } else {
                state.failed += 1
                if state.failed <= ReplicateTally.most { state.refused.append(document) }
            }
        }
    }

    var totals: (passed: Int, failed: Int) { state.withLock { ($0.passed, $0.failed) } }

    /// Returns the refused documents since the last call, of the first ones.
    func takeRefused() -> [ReplicatedDocument] {
        state.withLock { state in
            defer { state.refused = [] }
            return state.refused
        }
    }
}
#endif
