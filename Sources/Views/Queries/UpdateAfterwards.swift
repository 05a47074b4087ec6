internal import Dispatch
internal import SetteeEngine
internal import StorageProtocol
internal import Synchronization

/// The update of an index that a query leaves behind: what it replaces is read till the query is over. It is begun
/// once, in the background, at the latest when nobody can read on.
final class UpdateAfterwards: Sendable {
    private let database: Database
    private let name: ViewName
    private let isBegun = Atomic(false)

    init(_ database: Database, _ name: ViewName) {
        self.database = database
        self.name = name
    }

    deinit { begin() }

    func begin() {
        guard !isBegun.exchange(true, ordering: .relaxed) else { return }
        // A version that is set later replaces an index that later queries read.
        let updater = IndexUpdater(database, [name], followsVersions: false)
        DispatchQueue(label: "settee.views").async {
            do throws(StorageError) {
                try updater.run()
            } catch {
                guard error.code != .notOpen else { return }
                Log.log(.error, .view, "The index of a view was not updated in the background: \(Log.describe(error))")
            }
        }
    }
}
