internal import Foundation
internal import StorageProtocol

/// The environment of a test: opens stores, and records which promises were broken.
final class ConformanceContext: Expecting {
    private struct State {
        var directories: [String] = []
        var stores: [Store] = []
    }
    private struct Store {
        var directory: String
        var engine: any StorageEngine
    }

    let row: EngineCase
    let broken = BrokenPromises()
    private let state = Locked(State())

    init(_ row: EngineCase) { self.row = row }

    // MARK: Stores

    /// Creates an empty directory, which is removed after the test.
    func makeDirectory() throws -> String {
        let directory = try row.makeDirectory()
        state.withLock { $0.directories.append(directory) }
        return directory
    }

    /// Returns the names in a directory, sorted.
    func names(in directory: String) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: directory).sorted()
    }

    /// Creates a new store in a directory of its own.
    func open() throws -> any StorageEngine {
        try open(try makeDirectory(), create: true)
    }

    /// Opens the store in `directory`. If it is still open after the test, it is checked and closed.
    func open(
        _ directory: String,
        create: Bool = false,
        readOnly: Bool = false,
        isBeingBuilt: Bool = false
    ) throws(StorageError) -> any StorageEngine {
        var options = StorageOptions(create: create, readOnly: readOnly, durability: row.durability, key: row.key)
        options.isBeingBuilt = isBeingBuilt
        let engine = try row.factory.open(directory: directory, options: options)
        state.withLock { $0.stores.append(Store(directory: directory, engine: engine)) }
        return engine
    }

    /// Closes a store and opens it again.
    func reopen(_ engine: any StorageEngine) throws -> any StorageEngine {
        let known = state.withLock { state in
            guard let index = state.stores.firstIndex(where: { $0.engine === engine }) else { return nil as Store? }
            return state.stores.remove(at: index)
        }
        guard let known else { preconditionFailure("The store was not opened here") }
        engine.close()
        return try open(known.directory)
    }

    /// Closes a store permanently; it is not checked after the test.
    func close(_ engine: any StorageEngine) {
        state.withLock { state in state.stores.removeAll { $0.engine === engine } }
        engine.close()
    }

    /// Checks every open store for leaks and damage. Those on disk are closed and opened once more.
    func checkAfterTest() {
        for store in state.withLock({ $0.stores }) {
            checkSound(store.engine, "after the test")
            guard row.isPersistent else { continue }
            close(store.engine)
            do {
                checkSound(try open(store.directory), "after opening again")
            } catch {
                report("a closed store opens again", "no error", "\(error)")
            }
        }
    }

    /// Checks that no transaction is open, and that the engine finds nothing wrong with its store.
    func checkSound(_ engine: any StorageEngine, _ when: String) {
        do throws(StorageError) {
            equal(try engine.statistics().openTransactions, 0, "no transaction is left open \(when)")
        } catch {
            report("a store has statistics \(when)", "no error", "\(error)")
        }
        checkVerified(engine, when)
    }

    func checkVerified(_ engine: any StorageEngine, _ when: String) {
        do throws(StorageError) {
            var problems: [String] = []
            try engine.verify { problems.append($0.description) }
            equal(problems, [], "verify finds nothing \(when)")
        } catch {
            report("a store can be checked \(when)", "no error", "\(error)")
        }
    }

    func closeAll() {
        for store in state.withLock({ $0.stores }) { close(store.engine) }
    }

    func removeDirectories() {
        closeAll()
        for directory in state.withLock({ $0.directories }) { row.removeDirectory(directory) }
    }
}
