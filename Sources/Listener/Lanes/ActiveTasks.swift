internal import SetteeDocumentValues
internal import StorageProtocol

/// What runs for long, for `_active_tasks`.
final class ActiveTasks: Sendable {
    static let compaction = "database_compaction"
    static let indexer = "indexer"
    static let replication = "replication"

    struct Entry: Sendable {
        var kind: String
        var database: String
        /// In seconds since 1970.
        var began: Int64
        /// What else there is to tell, as of now.
        var details: (@Sendable () -> JSONObject)?
    }

    private struct State {
        var last = 0
        var entries: [Int: Entry] = [:]
    }

    private let state = Locked(State())

    func begin(_ kind: String, on database: String) -> Int {
        begin(Entry(kind: kind, database: database, began: WallClock.seconds))
    }

    func begin(_ entry: Entry) -> Int {
        state.withLock {
            $0.last += 1
            $0.entries[$0.last] = entry
            return $0.last
        }
    }

    func end(_ number: Int) { state.withLock { _ = $0.entries.removeValue(forKey: number) } }

    /// In the order in which they began.
    var all: [(number: Int, entry: Entry)] {
        state.withLock { $0.entries.sorted { $0.key < $1.key }.map { ($0.key, $0.value) } }
    }
}
