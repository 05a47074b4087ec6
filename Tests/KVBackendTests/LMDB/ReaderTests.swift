internal import Foundation
internal import StorageProtocol
internal import Synchronization
internal import Testing

@testable internal import SetteeKV

/// Many readers, their slots in the table, and what statistics report about them.
@Suite struct ReaderTests {
    @Test func manyThreadsReadBesideAWriter() throws {
        let folder = try TestFolder()
        let store = try folder.open()
        try store.write { (now) throws(StorageError) in
            for number in 0..<100 { try now.put("\(number)", [0]) }
        }
        // Each commit gives all keys one value: a snapshot must not see two.
        let mixed = Counter()
        let threads = (0..<64).map { _ in
            joinable {
                for _ in 0..<20 {
                    try store.read { (now) throws(StorageError) in
                        var values: Set<[UInt8]> = []
                        for number in 0..<100 { values.insert(try now.value("\(number)") ?? []) }
                        if values.count != 1 { mixed.value.wrappingAdd(1, ordering: .relaxed) }
                    }
                }
            }
        }
        for round in 1...20 {
            try store.write { (now) throws(StorageError) in
                for number in 0..<100 { try now.put("\(number)", [UInt8(round)]) }
            }
        }
        for thread in threads { #expect(thread() == nil) }
        #expect(mixed.value.load(ordering: .relaxed) == 0)
        #expect(store.environment.state.withLock { $0.live } == 0)
        #expect(store.environment.state.withLock { $0.readers.count } <= LMDBEnvironment.idleReaders)
        store.close()
    }

    @Test func theTableOfReadersHasAnEnd() throws {
        let folder = try TestFolder()
        let store = try folder.open()
        var snapshots: [LMDBTransaction] = []
        let refusal = code { while snapshots.count < 2000 { snapshots.append(try store.beginRead()) } }
        #expect(refusal == .busy)
        #expect(snapshots.count == 1022)
        // Writers need no slot.
        try store.write { (now) throws(StorageError) in try now.put("a", [1]) }
        snapshots.removeLast().end()
        #expect(try store.read { (now) throws(StorageError) in try now.value("a") } == [1])
        for snapshot in snapshots { snapshot.end() }
        #expect(store.environment.state.withLock { $0.readers.count } == LMDBEnvironment.idleReaders)
        store.close()
    }

    @Test func statisticsTellWhoPinsPages() throws {
        let folder = try TestFolder()
        let store = try folder.open()
        #expect(try store.statistics()["pinnedBy"] == nil)
        #expect(try store.statistics()["readers"] == "0")
        let snapshot = try store.beginRead()
        for round in 0..<3 {
            try store.write { (now) throws(StorageError) in
                for number in 0..<200 { try now.put("\(number)", [UInt8](repeating: UInt8(round), count: 1000)) }
            }
        }
        let pinned = try store.statistics()
        #expect(pinned["pinnedBy"] == "this process")
        #expect(pinned["oldestReaderBehind"] == "3")
        #expect(pinned["oldestReaderSeconds"]?.hasPrefix("0.") == true)
        #expect(pinned["readers"] == "1")
        #expect(pinned["readerPlaces"] == "1022")
        // The free list names two rounds' pages.
        #expect(pinned.freeBytes > 2 * 200 * 1000)
        let bytes = try ["data.mdb", "lock.mdb"].reduce(0) {
            $0 + (try FileManager.default.attributesOfItem(atPath: folder.path + "/" + $1)[.size] as? Int ?? 0)
        }
        #expect(pinned.bytesOnDisk == UInt64(bytes))
        snapshot.end()
        #expect(try store.statistics()["oldestReaderSeconds"] == nil)
        store.close()
    }

    /// A process that dies with a snapshot pins nothing for long: the writer notices it.
    @Test func readersOfDeadProcessesAreCleared() async throws {
        let folder = try TestFolder()
        let store = try folder.open()
        try store.write { (now) throws(StorageError) in try now.put("a", [1]) }
        let path = folder.path
        await #expect(processExitsWith: .exitCode(7)) { [path = path as String] in
            let store = try LMDBStore(directory: path, options: StorageOptions())
            let snapshot = try store.beginRead()
            _exit(try snapshot.value("a") == [1] ? 7 : 8)
        }
        let left = try store.statistics()
        #expect(left["readers"] == "1")
        #expect(left["pinnedBy"]?.hasPrefix("process ") == true)
        store.environment.state.withLock { $0.lastReaderCheck = 0 }
        try store.write { (now) throws(StorageError) in try now.put("a", [2]) }
        #expect(try store.statistics()["readers"] == "0")
        store.close()
    }
}

extension StorageStatistics {
    subscript(name: String) -> String? { details.first { $0.name == name }?.value }
}

/// Runs `body` on a thread of its own. The returned closure waits for its end and throws its error.
func joinable(_ body: @escaping @Sendable () throws -> Void) -> () -> (any Error)? {
    let outcome = Outcome()
    let done = DispatchSemaphore(value: 0)
    Thread.detachNewThread {
        do {
            try body()
        } catch {
            outcome.error.withLock { $0 = error }
        }
        done.signal()
    }
    return {
        done.wait()
        return outcome.error.withLock { $0 }
    }
}

private final class Outcome: Sendable {
    let error = Locked<(any Error)?>(nil)
}

private final class Counter: Sendable {
    let value = Atomic(0)
}
