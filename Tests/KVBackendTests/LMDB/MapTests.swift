internal import Foundation
internal import StorageProtocol
internal import Testing

@testable internal import SetteeKV

/// What happens when the room reserved for the file, the address space or the disk runs out.
@Suite struct MapTests {
    private static let megabyte = [UInt8](repeating: 0x61, count: 1 << 20)

    /// Puts megabytes until one is refused.
    private static func fill(_ transaction: LMDBTransaction, upTo limit: Int = 64) -> (Int, StorageError.Code?) {
        for number in 0..<limit {
            if let refusal = code({ try transaction.put("large-\(number)", megabyte) }) { return (number, refusal) }
        }
        return (limit, nil)
    }

    @Test func aFullMapRefusesAndGrows() throws {
        let folder = try TestFolder()
        let store = try folder.open(mapSize: 4 << 20)
        try store.write { (now) throws(StorageError) in try now.put("a", [1]) }
        let first = try store.beginWrite()
        let (count, refusal) = Self.fill(first)
        #expect(refusal == .full)
        #expect(count >= 1)
        // The transaction is doomed, with the same error.
        #expect(code { _ = try first.value("a") } == .full)
        #expect(code { _ = try first.cursor(.documents) } == .full)
        #expect(code { try first.commit() } == .full)
        first.end()
        // Nothing of it is there, and reading goes on.
        let reader = try store.beginRead()
        #expect(try reader.keys() == ["a"])
        // Not while a snapshot lies in the map.
        #expect(code { _ = try store.beginWrite() } == .full)
        #expect(try reader.value("a") == [1])
        reader.end()
        try store.write { (now) throws(StorageError) in try now.put("b", [2]) }
        #expect(store.environment.state.withLock { $0.mapSize } == 8 << 20)
        // Grows as often as it needs to.
        var stored = 0
        for _ in 0..<10 where stored < 20 {
            let transaction = try store.beginWrite()
            guard Self.fill(transaction, upTo: 20).1 == nil else { continue }
            try transaction.commit()
            stored = 20
        }
        #expect(stored == 20)
        #expect(try store.read { (now) throws(StorageError) in try now.keys().count } == 22)
        #expect(try store.statistics().openTransactions == 0)
        #expect(!folder.names.contains("suspect"))
        store.close()
        // A map smaller than the file is made larger.
        let again = try folder.open(StorageOptions(), mapSize: 1 << 20)
        #expect(try again.read { (now) throws(StorageError) in try now.value("large-19") } == Self.megabyte)
        again.close()
    }

    /// A process has 128 TiB of address space. In a process of its own, since a failure would end it.
    @Test func manyStoresLeaveRoomForOtherMemory() async {
        await #expect(processExitsWith: .success) {
            var stores: [LMDBStore] = []
            var folders: [TestFolder] = []
            for _ in 0..<160 {
                let folder = try TestFolder()
                folders.append(folder)
                stores.append(try folder.open())
            }
            guard LMDBMapRoom.isThere(1 << 40) else { exit(2) }
            guard stores.allSatisfy({ $0.environment.state.withLock { $0.mapSize } >= 16 << 30 }) else { exit(3) }
            for store in stores { store.close() }
        }
    }

    /// All stores of the file are checked, whichever grows.
    @Test func anotherStoresSnapshotRefusesGrowth() throws {
        let folder = try TestFolder()
        let store = try folder.open(mapSize: 4 << 20)
        let other = try folder.open(StorageOptions(readOnly: true))
        let transaction = try store.beginWrite()
        #expect(Self.fill(transaction).1 == .full)
        transaction.end()
        let reader = try other.beginRead()
        #expect(code { _ = try store.beginWrite() } == .full)
        reader.end()
        try store.write { (now) throws(StorageError) in try now.put("a", [1]) }
        store.close()
        other.close()
    }

    /// Another process makes the file larger than the map of this one.
    @Test func anothersGrowthIsFollowed() async throws {
        let folder = try TestFolder()
        let store = try folder.open(mapSize: 4 << 20)
        for isReading in [true, false] {
            let path = folder.path
            await #expect(processExitsWith: .success) { [path = path as String, isReading = isReading as Bool] in
                let store = try LMDBStore(directory: path, options: StorageOptions(), mapSize: 1 << 30)
                try store.write { (now) throws(StorageError) in
                    for number in 0..<10 { try now.put("\(isReading)-\(number)", MapTests.megabyte) }
                }
                store.close()
            }
            if isReading {
                #expect(try store.read { (now) throws(StorageError) in try now.keys().count } == 10)
            } else {
                try store.write { (now) throws(StorageError) in #expect(try now.keys().count == 20) }
            }
        }
        #expect(store.environment.state.withLock { $0.mapSize } == 32 << 20)
        store.close()
    }

    @Test func anothersGrowthWaitsForSnapshots() async throws {
        let folder = try TestFolder()
        let store = try folder.open(mapSize: 4 << 20)
        let before = try store.beginRead()
        let path = folder.path
        await #expect(processExitsWith: .success) { [path = path as String] in
            let store = try LMDBStore(directory: path, options: StorageOptions(), mapSize: 1 << 30)
            try store.write { (now) throws(StorageError) in
                for number in 0..<10 { try now.put("\(number)", MapTests.megabyte) }
            }
            store.close()
        }
        #expect(try before.keys() == [])
        #expect(code { _ = try store.beginRead() } == .busy)
        #expect(code { _ = try store.beginWrite() } == .busy)
        before.end()
        #expect(try store.read { (now) throws(StorageError) in try now.keys().count } == 10)
        store.close()
    }

    // MARK: Limits of the system

    @Test func aLimitOfAddressSpaceMakesTheMapSmaller() async {
        await #expect(processExitsWith: .success) {
            let folder = try TestFolder()
            try limitAddressSpace(toMore: 2 << 30)
            let store = try folder.open()
            let size = store.environment.state.withLock { $0.mapSize }
            guard size >= 64 << 20, size <= 512 << 20 else { exit(2) }
            // Growing ends with a clear error, and the store continues to work.
            try limitAddressSpace(toMore: 16 << 20)
            store.environment.state.withLock { $0.mustGrow = true }
            guard code({ _ = try store.beginWrite() }) == .full else { exit(3) }
            guard try store.read({ (now) throws(StorageError) in try now.keys() }).isEmpty else { exit(4) }
            try limitAddressSpace(toMore: 4 << 30)
            try store.write { (now) throws(StorageError) in try now.put("a", [1]) }
            guard store.environment.state.withLock({ $0.mapSize }) == 2 * size else { exit(5) }
            store.close()
        }
    }

    /// A disk that becomes full accepts a part of what is written: LMDB reports that as an I/O error.
    @Test func aFullDiskRefusesAndLeavesTheStoreWhole() async {
        await #expect(processExitsWith: .success) {
            signal(SIGXFSZ, SIG_IGN)
            let folder = try TestFolder()
            let store = try folder.open()
            try store.write { (now) throws(StorageError) in try now.put("a", [1]) }
            for limit in [300_000, 262_144, 1_000_001] {
                limitFiles(to: limit)
                let transaction = try store.beginWrite()
                for number in 0..<3 { try transaction.put("large-\(number)", MapTests.megabyte) }
                guard code({ try transaction.commit() }) == .full else { exit(2) }
                guard try store.read({ (now) throws(StorageError) in try now.keys() }) == ["a"] else { exit(3) }
            }
            limitFiles(to: nil)
            guard !folder.names.contains("suspect") else { exit(4) }
            try store.write { (now) throws(StorageError) in try now.put("large", MapTests.megabyte) }
            store.close()
            let again = try folder.open(StorageOptions())
            guard try again.read({ (now) throws(StorageError) in try now.keys() }) == ["a", "large"] else { exit(5) }
            again.close()
        }
    }
}

/// Limits the process to this many bytes of address space more than it has.
func limitAddressSpace(toMore bytes: UInt64) throws {
    let text = try String(contentsOfFile: "/proc/self/statm", encoding: .utf8)
    let pages = UInt64(text.split(separator: " ").first ?? "") ?? 0
    var limit = rlimit()
    getrlimit(__rlimit_resource_t(RLIMIT_AS.rawValue), &limit)
    limit.rlim_cur = rlim_t(pages * UInt64(getpagesize()) + bytes)
    setrlimit(__rlimit_resource_t(RLIMIT_AS.rawValue), &limit)
}

/// Limits the size to which files may grow; nil for no limit.
func limitFiles(to bytes: Int?) {
    var limit = rlimit()
    getrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit)
    limit.rlim_cur = bytes.map { rlim_t($0) } ?? limit.rlim_max
    setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit)
}
