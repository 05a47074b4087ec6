internal import StorageProtocol

/// A snapshot that was announced to other processes. End it with `endSnapshot`.
package struct SnapshotToken: Sendable {
    let changeCounter: UInt64
}

/// The change counters of this process's snapshots. If the process has a `holders/` page, it shows the lowest one, and
/// since when there has been a snapshot with it.
package final class SnapshotEpochs: Sendable {
    private struct Entry {
        var changeCounter: UInt64
        /// When the first of them began.
        var time = Host.now()
        var count = 1
    }

    /// Ordered by change counter. As long as the number of different states with snapshots.
    private let entries = Locked<[Entry]>([])
    private let page: SharedPage?

    init(page: SharedPage?) { self.page = page }

    /// For a database that has no folder, and so no other processes.
    package convenience init() { self.init(page: nil) }

    /// The lowest change counter, nil if there is no snapshot.
    package var oldest: UInt64? { entries.withLock { $0.first?.changeCounter } }

    package func announce(_ changeCounter: UInt64) -> SnapshotToken {
        begin(changeCounter)
        return SnapshotToken(changeCounter: changeCounter)
    }

    package func withdraw(_ token: SnapshotToken) { end(token.changeCounter) }

    func begin(_ changeCounter: UInt64) {
        entries.withLock { entries in
            var index = entries.endIndex
            while index > 0, entries[index - 1].changeCounter > changeCounter { index -= 1 }
            if index > 0, entries[index - 1].changeCounter == changeCounter {
                entries[index - 1].count += 1
                return
            }
            entries.insert(Entry(changeCounter: changeCounter), at: index)
            if index == 0 { tell(entries.first) }
        }
    }

    func end(_ changeCounter: UInt64) {
        entries.withLock { entries in
            guard let index = entries.firstIndex(where: { $0.changeCounter == changeCounter }) else { return }
            entries[index].count -= 1
            guard entries[index].count == 0 else { return }
            entries.remove(at: index)
            if index == 0 { tell(entries.first) }
        }
    }

    private func tell(_ oldest: Entry?) {
        page?[HolderPage.snapshotTimeWord] = oldest?.time ?? 0
        page?[HolderPage.snapshotWord] = oldest?.changeCounter ?? HolderPage.noSnapshot
    }
}

extension DatabaseFolder {
    /// Announces to other processes, before a snapshot is opened, that it will see the state at `changeCounter` or a
    /// later one.
    ///
    /// - Complexity: Some ten nanoseconds; no system call.
    package func beginSnapshot(changeCounter: UInt64) -> SnapshotToken {
        snapshots.announce(changeCounter)
    }

    /// Withdraws what `beginSnapshot` announced, after the snapshot was closed. Call it once for each token.
    package func endSnapshot(_ token: SnapshotToken) { snapshots.withdraw(token) }
}
