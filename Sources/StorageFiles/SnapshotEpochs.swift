internal import StorageProtocol
internal import Synchronization

/// A snapshot that was announced to other processes; give it back with `endSnapshot`.
package struct SnapshotToken: Sendable {
    let changeCounter: UInt64
}

/// The change counters of this process's snapshots. The lowest stands in the process's `holders/` page.
final class SnapshotEpochs: Sendable {
    private struct Entry {
        var changeCounter: UInt64
        var count: Int
    }

    /// Ordered by change counter; as long as there are snapshots of different states.
    private let entries = Mutex<[Entry]>([])
    private let page: SharedPage?

    init(page: SharedPage?) { self.page = page }

    func begin(_ changeCounter: UInt64) {
        entries.withLock { entries in
            var index = entries.endIndex
            while index > 0, entries[index - 1].changeCounter > changeCounter { index -= 1 }
            if index > 0, entries[index - 1].changeCounter == changeCounter {
                entries[index - 1].count += 1
                return
            }
            entries.insert(Entry(changeCounter: changeCounter, count: 1), at: index)
            if index == 0 { page?[HolderPage.snapshotWord] = changeCounter }
        }
    }

    func end(_ changeCounter: UInt64) {
        entries.withLock { entries in
            guard let index = entries.firstIndex(where: { $0.changeCounter == changeCounter }) else { return }
            entries[index].count -= 1
            guard entries[index].count == 0 else { return }
            entries.remove(at: index)
            if index == 0 {
                page?[HolderPage.snapshotWord] = entries.first?.changeCounter ?? HolderPage.noSnapshot
            }
        }
    }
}

extension DatabaseFolder {
    /// Tells other processes, before a snapshot is opened, that it will see the state at `changeCounter` or a later one.
    ///
    /// - Complexity: some ten nanoseconds; no system call.
    package func beginSnapshot(changeCounter: UInt64) -> SnapshotToken {
        snapshots.begin(changeCounter)
        return SnapshotToken(changeCounter: changeCounter)
    }

    /// Takes back what `beginSnapshot` announced, after the snapshot was closed. Once for each token.
    package func endSnapshot(_ token: SnapshotToken) { snapshots.end(token.changeCounter) }
}
