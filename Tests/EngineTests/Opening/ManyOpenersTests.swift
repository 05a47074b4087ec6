import Foundation
import Settee
import SetteeTestSupport
import StorageProtocol
import Testing

/// Threads that open many folders at once.
@Suite struct ManyOpenersTests {
    private static let options = DatabaseOptions(durability: .normal, compactionThreshold: nil)

    private func open(_ path: String, _ factory: any StorageEngineFactory) throws -> Database {
        try Database.open(
            at: URL(fileURLWithPath: path),
            options: DatabaseOptions(
                storageType: factory.storageType,
                durability: .normal,
                compactionThreshold: nil
            ),
            engines: [factory]
        )
    }

    /// Half of the folders exist; each is reached by its path, by a link to its parent folder, and, if it exists, by a
    /// link to it.
    @Test(arguments: [(StorageType.sqlite, 100, 1000), (.lmdb, 20, 200)])
    func eachThreadGetsTheRightDatabase(type: StorageType, folders: Int, threads: Int) throws {
        let folder = try TemporaryFolder()
        let home = folder.url.appending(path: "home").path
        try FileManager.default.createDirectory(atPath: home, withIntermediateDirectories: false)
        let linked = folder.url.appending(path: "linked").path
        try FileManager.default.createSymbolicLink(atPath: linked, withDestinationPath: home)
        let factory = WrappedFactory(type)
        for number in 0..<folders where number % 2 == 0 {
            try open("\(home)/d\(number)", factory).close()
            try FileManager.default.createSymbolicLink(
                atPath: "\(linked)/link\(number)",
                withDestinationPath: "\(home)/d\(number)"
            )
        }
        let before = factory.opened
        let found = Locked<[Int: [Database]]>([:])
        try onThreads(threads) { thread in
            let number = thread % folders
            let path =
                switch thread / folders % 4 {
                case 0: "\(home)/d\(number)"
                case 1: "\(linked)/d\(number)"
                case 2: number % 2 == 0 ? "\(home)/link\(number)" : "\(linked)/../home/d\(number)/"
                default: "\(home)//d\(number)"
                }
            let database = try open(path, factory)
            try database["thread\(thread)"].put(["folder": .int(Int64(number))])
            found.withLock { $0[number, default: []].append(database) }
        }
        let databases = found.withLock { $0 }
        #expect(databases.count == folders)
        for (number, all) in databases {
            #expect(all.allSatisfy { $0 === all[0] }, "folder \(number)")
            #expect(all[0].path?.hasSuffix("/home/d\(number)") == true, "folder \(number)")
            #expect(try all[0].documentCount == UInt64(threads / folders), "folder \(number)")
        }
        // New databases are opened twice: to be made, and to be used.
        #expect(factory.opened - before == folders / 2 + folders / 2 * 2)
        for all in databases.values { try all[0].close() }
    }

    @Test(arguments: Storage.plainPersistent)
    func aSlowFolderHoldsUpNoOther(type: StorageType) throws {
        let folder = try TemporaryFolder()
        let gate = Gate()
        let isOpening = Gate()
        let factory = WrappedFactory(
            type,
            whenOpening: { directory in
                guard directory.contains("/slow/") else { return }
                isOpening.open()
                gate.wait()
            }
        )
        for name in ["slow", "quick"] {
            let quick = Storage.factory(type)
            try open(folder.url.appending(path: name).path, quick).close()
        }
        let slow = folder.url.appending(path: "slow").path
        let first = Background { try self.open(slow, factory).close() }
        isOpening.wait()
        let others = Background {
            for round in 0..<5 {
                try self.open(folder.url.appending(path: "quick").path, factory).close()
                let new = folder.url.appending(path: "new\(round)").path
                try self.open(new, factory).close()
                try Database.open(at: URL(fileURLWithPath: new), engines: [factory]).delete()
            }
        }
        #expect(others.ends(within: 300), "others wait for a folder that they do not want")
        #expect(!first.ends(within: 0))
        gate.open()
        try first.join()
        try others.join()
    }

    /// An opening that waits for the same folder from inside itself would wait for ever.
    @Test func nobodyWaitsForHimself() throws {
        let folder = try TemporaryFolder()
        let path = folder.url.appending(path: "own").path
        try open(path, Storage.factory(.sqlite)).close()
        let inner = Locked<StorageError.Code?>(nil)
        let factory = WrappedFactory(
            .sqlite,
            whenOpening: { _ in
                do throws(StorageError) {
                    try Database.open(
                        at: URL(fileURLWithPath: path),
                        options: Self.options,
                        engines: [Storage.factory(.sqlite)]
                    ).close()
                } catch {
                    inner.withLock { $0 = error.code }
                }
            }
        )
        try open(path, factory).close()
        #expect(inner.withLock { $0 } == .callback)
    }

    /// Two threads, each of which opens the other's folder from inside the opening of its own.
    @Test func nobodyWaitsInACircle() throws {
        let folder = try TemporaryFolder()
        let paths = ["a", "b"].map { folder.url.appending(path: $0).path }
        for path in paths { try open(path, Storage.factory(.sqlite)).close() }
        let inside = [Gate(), Gate()]
        let refused = Locked(0)
        let threads = (0..<2).map { own in
            Background {
                let factory = WrappedFactory(
                    .sqlite,
                    whenOpening: { _ in
                        inside[own].open()
                        inside[1 - own].wait()
                        do throws(StorageError) {
                            _ = try Database.open(
                                at: URL(fileURLWithPath: paths[1 - own]),
                                options: Self.options,
                                engines: [Storage.factory(.sqlite)]
                            )
                        } catch {
                            guard error.code == .callback else { throw error }
                            refused.withLock { $0 += 1 }
                        }
                    }
                )
                _ = try self.open(paths[own], factory)
            }
        }
        for thread in threads {
            #expect(thread.ends(within: 300), "they wait for each other")
            try thread.join()
        }
        #expect(refused.withLock { $0 } == 1, "one of both is told")
    }

    /// A manager used to be identified by its address: a later one at the same address was given what an earlier one
    /// had left open.
    @Test func aManagerKnowsNoneOfThoseThatAreGone() throws {
        let folder = try TemporaryFolder()
        var kept: [Database] = []
        for round in 0..<200 {
            let manager = try Manager(
                directory: folder.url,
                options: .init(storageType: .memory),
                engines: [Storage.factory(.memory)]
            )
            let database = try manager.database(named: "mine")
            #expect(try database.documentCount == 0, "round \(round)")
            try database["a"].put([:])
            kept.append(database)
        }
        for database in kept { try database.close() }
    }
}
