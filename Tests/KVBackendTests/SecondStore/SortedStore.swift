import StorageProtocol

@testable import SetteeKV

/// The longest key of a `SortedStore`.
protocol KeyLimit {
    static var longestKey: Int? { get }
}

/// LMDB's.
enum LimitOf481: KeyLimit {
    static var longestKey: Int? { 481 }
}

/// So short that most keys are cut.
enum LimitOf32: KeyLimit {
    static var longestKey: Int? { 32 }
}

enum NoLimit: KeyLimit {
    static var longestKey: Int? { nil }
}

/// A store in sorted arrays in memory. A snapshot is a copy of them, which costs nothing until somebody writes.
final class SortedStore<Limit: KeyLimit>: OrderedStore {
    let content: Locked<SortedTables>

    init(_ content: SortedTables = .empty) { self.content = Locked(content) }

    func beginRead() throws(StorageError) -> SortedTransaction<Limit> {
        SortedTransaction(content.withLock { $0 })
    }

    func beginWrite() throws(StorageError) -> SortedTransaction<Limit> {
        SortedTransaction(content.withLock { $0 }, of: self)
    }

    func checkpoint() throws(StorageError) {}
    func raiseDurability() throws(StorageError) {}
    func verify(step: () throws(StorageError) -> Void, _ report: (StorageProblem) -> Void) throws(StorageError) {}

    func statistics() throws(StorageError) -> StorageStatistics {
        let bytes = content.withLock { tables in
            tables.reduce(0) { sum, table in
                table.entries.reduce(sum) { sum, entry in sum + entry.key.count + entry.value.count }
            }
        }
        return StorageStatistics(bytesOnDisk: UInt64(bytes), freeBytes: 0, openTransactions: 0)
    }

    func close() {}
}
