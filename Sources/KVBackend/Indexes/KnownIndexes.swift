internal import StorageProtocol

/// The entries of indexes that snapshots of one state of the store have read. Later snapshots of the same state need
/// not read and decode them again.
struct KnownIndexes: ~Copyable {
    /// More are not kept: the oldest goes.
    private static var most: Int { 16 }

    private struct State {
        /// The change counter of the state. It grows with every commit, of any process, that wrote anything.
        var changeCounter: UInt64 = 0
        var entries: [(name: String, index: StoredIndex)] = []
        /// Whether a commit may leave a change counter that there was before.
        var isOff = false
    }

    private let state = Locked(State())

    /// Returns what a snapshot with this change counter has read.
    func find(_ name: String, _ changeCounter: UInt64) -> StoredIndex? {
        state.withLock { state in
            guard state.changeCounter == changeCounter else { return nil }
            return state.entries.first { KnownIndexes.isSame($0.name, name) }?.index
        }
    }

    /// Keeps what a snapshot with this change counter has read. Snapshots of older states keep nothing.
    func keep(_ index: StoredIndex, _ name: String, _ changeCounter: UInt64) {
        state.withLock { state in
            if state.isOff || changeCounter < state.changeCounter { return }
            if changeCounter > state.changeCounter {
                state.changeCounter = changeCounter
                state.entries = []
            }
            if state.entries.contains(where: { KnownIndexes.isSame($0.name, name) }) { return }
            if state.entries.count == KnownIndexes.most { state.entries.removeFirst() }
            state.entries.append((name, index))
        }
    }

    private static func isSame(_ name: String, _ other: String) -> Bool {
        unsafe compareBytes(name.utf8Span.span.bytes, other.utf8Span.span.bytes) == 0
    }

    /// Keeps nothing from now on. Called before a commit that sets the change counter: an earlier state may have had
    /// the same one.
    func turnOff() { state.withLock { $0 = State(isOff: true) } }
}
