internal import SetteeEngine
internal import StorageProtocol

/// What a replicator tells: its status, and what becomes of documents.
final class ReplicationMonitor: Sendable {
    /// What logs call the replication.
    private let name: String
    let statuses = Observers<ReplicatorStatus>()
    let documents = Observers<ReplicatedDocument>()

    private struct State {
        var status = ReplicatorStatus(activity: .stopped)
        /// The directions that have work to do.
        var busy: Set<ReplicatedDocument.Direction> = []
        /// From the first failure to connect until documents, or the wait for changes, show that it is online.
        var network: NetworkWatch?
        /// Whether the sides have answered since the beginning of the run.
        var wasOnline = false
    }

    private let state = Locked(State())
    /// Held while a status is told, so that they are told in their order.
    private let telling = Locked(())

    init(_ configuration: ReplicatorConfiguration) {
        let target =
            switch configuration.target {
            case .database(let database): database.name
            case .url(let url): (try? RemoteEndpoint(url))?.description ?? "a malformed URL"
            }
        name = "\(configuration.database.name) and \(target)"
    }

    /// Logs something about the whole replication.
    func log(_ level: LogLevel, _ message: @autoclosure () -> String) {
        Log.log(level, .sync, "\(name): \(message())")
    }

    var status: ReplicatorStatus { state.withLock { $0.status } }

    /// Whether the sides have answered at some time since the beginning of the run.
    var wasOnline: Bool { state.withLock { $0.wasOnline } }

    func set(_ activity: ReplicatorStatus.Activity, error: ReplicationError? = nil) {
        change { state in
            state.status.activity = activity
            state.status.error = error
        }
    }

    /// The watch over the network of a replication that is offline.
    func watchNetwork(by watcher: NetworkWatcher) -> NetworkWatch {
        state.withLock { state in
            let watch = state.network ?? watcher.watch()
            state.network = watch
            return watch
        }
    }

    /// A run begins: nothing is done yet.
    func reset() {
        change { state in
            state.busy = []
            state.wasOnline = false
            state.status = ReplicatorStatus(activity: .connecting)
        }
    }

    /// A direction has found that many changed documents.
    func found(_ count: Int, _ direction: ReplicatedDocument.Direction) {
        change { state in
            state.status.progress.total += UInt64(count)
            state.busy.insert(direction)
            state.wasOnline = true
            state.status.activity = .busy
            state.status.error = nil
        }
    }

    /// That many documents have been dealt with.
    func completed(_ count: Int) {
        guard count > 0 else { return }
        change { $0.status.progress.completed += UInt64(count) }
    }

    /// A run that failed leaves its rows to the next one.
    func forgetOpen() { change { $0.status.progress.total = $0.status.progress.completed } }

    /// A direction has nothing more to do now.
    func becameIdle(_ direction: ReplicatedDocument.Direction) {
        change { state in
            state.busy.remove(direction)
            state.wasOnline = true
            if state.busy.isEmpty {
                state.status.activity = .idle
                state.status.error = nil
            }
        }
    }

    private func change(_ body: (inout State) -> Void) {
        telling.withLock { _ in
            let (before, status, network) = state.withLock { state in
                let before = state.status.activity
                body(&state)
                let isOffline = [.offline, .connecting].contains(state.status.activity)
                return (before, state.status, isOffline ? nil : state.network.take())
            }
            withExtendedLifetime(network) {}
            if status.activity != before { log(.debug, "\(status.activity)") }
            statuses.tell(status)
        }
    }
}
