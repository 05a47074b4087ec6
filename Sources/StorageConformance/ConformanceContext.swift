internal import Foundation
internal import StorageProtocol

/// What a test works with: it opens stores, and writes down which promises were broken.
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

    /// A new empty directory, removed after the test.
    func makeDirectory() throws -> String {
        let directory = try row.makeDirectory()
        state.withLock { $0.directories.append(directory) }
        return directory
    }

    /// What is in a directory, in order.
    func names(in directory: String) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: directory).sorted()
    }

    /// A new store in a directory of its own.
    func open() throws -> any StorageEngine {
        try open(try makeDirectory(), create: true)
    }

    /// Opens the store in `directory`; what is still open after the test is checked and closed.
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

    /// Closes a store for good; nothing is checked after the test.
    func close(_ engine: any StorageEngine) {
        state.withLock { state in state.stores.removeAll { $0.engine === engine } }
        engine.close()
    }

    /// Looks for leaks and damage in every store that is open; those on disk are closed and opened once more.
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

    /// No transaction is open, and the engine finds nothing wrong with its store.
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
