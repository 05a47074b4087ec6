internal import Dispatch
package import SetteeEngine
internal import StorageProtocol
internal import Synchronization

/// The update of an index that a query leaves behind. It starts after the query, because the query still reads what the
/// update replaces. It runs once, in the background, and starts at the latest when the query can no longer be
/// continued.
package final class UpdateAfterwards: Sendable {
    private let database: Database
    private let name: IndexName
    private let isBegun = Atomic(false)

    package init(_ database: Database, _ name: IndexName) {
        self.database = database
        self.name = name
    }

    deinit { begin() }

    package func begin() {
        guard !isBegun.exchange(true, ordering: .relaxed) else { return }
        // If another version is set, the update stops: the index of a later version would replace the one that later
        // queries read.
        let updater = IndexUpdater(database, [name], followsVersions: false)
        let noun = name.kind.words.nounWithArticle
        DispatchQueue(label: "settee.indexes").async {
            do throws(StorageError) {
                try updater.run()
            } catch {
                guard error.code != .notOpen else { return }
                Log.log(.error, .view, "The index of \(noun) was not updated in the background: \(Log.describe(error))")
            }
        }
    }
}
