import Foundation
import Settee
import SetteeTestSupport
import StorageConformance
import StorageProtocol
import Testing

@testable import SetteeEngine

/// A database of some megabytes, on the engine that rewrites in steps.
final class CompactionFixture {
    let folder: TemporaryFolder
    let manager: Manager
    let steps = RewriteSteps()
    private(set) var database: Database

    /// - Parameters:
    ///   - threshold: nil: there are no automatic rewrites.
    ///   - documents: how many there are at first.
    /// - Parameter free: how many bytes the disk seems to have free; nil: the actual number.
    init(threshold: Double?, documents: Int = 3000, free: UInt64? = nil) throws {
        folder = try TemporaryFolder()
        let factory = SteppedFactory(Storage.factory(.lmdb), steps)
        manager = try Manager(directory: folder.url, options: .init(storageType: .lmdb), engines: [factory])
        database = try manager.database(named: "test", options: CompactionFixture.options(threshold))
        if let free { database.compactor.space.measure { _ in free } }
        try database.inTransaction {
            for number in 0..<documents { try database["d\(number)"].put(CompactionFixture.content(number, 0)) }
        }
    }

    static func options(_ threshold: Double?) -> DatabaseOptions {
        DatabaseOptions(durability: .normal, compactionThreshold: threshold)
    }

    static func content(_ number: Int, _ round: Int) -> JSONObject {
        ["n": JSONValue(number), "round": JSONValue(round), "text": .string(String(repeating: "x", count: 500))]
    }

    /// Leaves a tenth of the documents, so that most of the files is free.
    func empty() throws {
        try database.inTransaction {
            for number in 0..<3000 where number % 10 != 0 { _ = try database["d\(number)"].purge() }
        }
    }

    /// Inside a transaction: a check of the store that takes all of it for free, as while a commit is in progress.
    func examineMistakenly() throws {
        steps.claimAllIsFree()
        database.compactor.noteCommit()
        try expectEventually { database.compactor.status.isRunning }
        steps.claimAllIsFree(false)
    }

    func expectTheTenth(sourceLocation: SourceLocation = #_sourceLocation) throws {
        #expect(try database.documentCount == 300, sourceLocation: sourceLocation)
        for number in stride(from: 0, to: 3000, by: 10) {
            let found = try database["d\(number)"].revision()?.properties["n"]
            #expect(found == JSONValue(number), sourceLocation: sourceLocation)
        }
        #expect(try database.check().map(\.description) == [], sourceLocation: sourceLocation)
    }

    var path: String { get throws { try #require(database.path) } }

    func bytes() throws -> UInt64 { try database.statistics().bytesOnDisk }

    /// The generations in the folder.
    func generations() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: path).filter {
            $0.hasPrefix("data-") || $0.hasPrefix(".settee-staging")
        }
    }

    func reopen(threshold: Double?) throws {
        database = try manager.database(named: "test", options: CompactionFixture.options(threshold))
    }

    func close() throws { try manager.close() }
}

/// Holds up rewrites at their steps, and counts those that begin.
final class RewriteSteps: Sendable {
    private struct State {
        var isHeld = false
        var areSmall = false
        var begun = 0
        var taken = 0
        var failure: StorageError?
        var claimsAllIsFree = false
    }

    private let state = Locked(State())
    let arrived = DispatchSemaphore(value: 0)
    private let go = DispatchSemaphore(value: 0)

    var begun: Int { state.withLock { $0.begun } }
    /// Steps of all rewrites.
    var taken: Int { state.withLock { $0.taken } }

    /// From now on each step waits, and signals `arrived`.
    func hold() { state.withLock { $0.isHeld = true } }

    func release() {
        state.withLock { $0.isHeld = false }
        go.signal()
    }

    func begin() { state.withLock { $0.begun += 1 } }

    /// From now on each step does as little as it can.
    func makeSmall() { state.withLock { $0.areSmall = true } }

    func limit(_ limit: Duration) -> Duration { state.withLock { $0.areSmall ? .zero : limit } }

    /// From now on each step fails.
    func fail(with error: StorageError) { state.withLock { $0.failure = error } }

    /// From now on the engine's estimate is wrong: it says that a copy would need no space at all.
    func claimAllIsFree(_ claims: Bool = true) { state.withLock { $0.claimsAllIsFree = claims } }

    func estimate(_ figures: inout StorageStatistics) {
        if state.withLock({ $0.claimsAllIsFree }) { figures.reclaimableBytes = figures.bytesOnDisk }
    }

    func pass() throws(StorageError) {
        let (failure, isHeld) = state.withLock { state in
            state.taken += 1
            return (state.failure, state.isHeld)
        }
        if let failure { throw failure }
        guard isHeld else { return }
        arrived.signal()
        _ = go.wait(timeout: .now() + 120)
    }

    /// Waits until a rewrite is held up.
    func waitForOne(sourceLocation: SourceLocation = #_sourceLocation) {
        #expect(arrived.wait(timeout: .now() + 120) == .success, "No rewrite began.", sourceLocation: sourceLocation)
    }
}

/// Opens another factory's stores, and passes their rewrites through `RewriteSteps`.
struct SteppedFactory: ForwardingEngineFactory {
    let base: any StorageEngineFactory
    let steps: RewriteSteps

    init(_ base: any StorageEngineFactory, _ steps: RewriteSteps) {
        self.base = base
        self.steps = steps
    }

    func open(directory: String, options: StorageOptions) throws(StorageError) -> any StorageEngine {
        SteppedEngine(try base.open(directory: directory, options: options), steps)
    }
}

private final class SteppedEngine: ForwardingEngine {
    let base: any StorageEngine
    let steps: RewriteSteps

    init(_ base: any StorageEngine, _ steps: RewriteSteps) {
        self.base = base
        self.steps = steps
    }

    func beginRewrite(
        toDirectory directory: String,
        options: StorageCopyOptions
    ) throws(StorageError) -> any StorageRewrite {
        let rewrite = try base.beginRewrite(toDirectory: directory, options: options)
        steps.begin()
        return SteppedRewrite(rewrite, steps)
    }

    func statistics() throws(StorageError) -> StorageStatistics {
        var figures = try base.statistics()
        steps.estimate(&figures)
        return figures
    }
}

private final class SteppedRewrite: StorageRewrite {
    let base: any StorageRewrite
    let steps: RewriteSteps

    init(_ base: any StorageRewrite, _ steps: RewriteSteps) {
        self.base = base
        self.steps = steps
    }

    func step(limit: Duration) throws(StorageError) -> RewriteProgress {
        try steps.pass()
        return try base.step(limit: steps.limit(limit))
    }

    func finish() throws(StorageError) { try base.finish() }
    func cancel() { base.cancel() }
}
