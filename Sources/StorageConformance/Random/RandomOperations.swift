internal import StorageProtocol

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// Runs random operations on an engine and on a model of plain dictionaries, and compares them at every commit and with
/// every reader.
public enum RandomOperations {
    /// Runs `count` random operations made from `seed` on a new store.
    ///
    /// - Returns: Everything that the engine returned. The same seed gives the same results on every engine.
    /// - Throws: `RandomFailure` with the seed and the shortest list of operations found that still fails.
    @discardableResult
    public static func run(seed: UInt64, count: Int, on engine: EngineCase) throws -> [String] {
        var random = SeededGenerator(seed: seed)
        let operations = (0..<count).map { _ in RandomOperation.random(&random) }
        switch attempt(operations, on: engine) {
        case .success(let log): return log
        case .failure: break
        }
        let shrunk = shrink(operations, on: engine)
        guard case .failure(let failure) = attempt(shrunk, on: engine) else {
            throw RandomFailure(
                engine: engine.name,
                seed: seed,
                operations: shrunk.map { "\($0)" },
                message: "The failure does not come again: the engine is not deterministic."
            )
        }
        throw RandomFailure(
            engine: engine.name,
            seed: seed,
            operations: shrunk.map { "\($0)" },
            message: failure.message
        )
    }

    private static func attempt(
        _ operations: [RandomOperation],
        on engine: EngineCase
    ) -> Result<[String], RandomRun.Mismatch> {
        let context = ConformanceContext(engine)
        defer { context.removeDirectories() }
        do {
            let run = try RandomRun(context)
            do {
                try run.run(operations)
                return .success(run.log)
            } catch {
                run.abandon()
                throw error
            }
        } catch let mismatch as RandomRun.Mismatch {
            return .failure(mismatch)
        } catch let error as StorageError {
            return .failure(RandomRun.Mismatch(message: "\(error) (\(error.location))"))
        } catch {
            return .failure(RandomRun.Mismatch(message: "\(error)"))
        }
    }

    /// Omits runs of operations, long ones first, as long as the rest still fails.
    private static func shrink(_ operations: [RandomOperation], on engine: EngineCase) -> [RandomOperation] {
        var failing = operations
        var size = failing.count / 2
        var attempts = 0
        while size > 0 {
            var start = 0
            var isShorter = false
            while start < failing.count, attempts < 2_000 {
                attempts += 1
                var fewer = failing
                fewer.removeSubrange(start..<min(start + size, fewer.count))
                if case .failure = attempt(fewer, on: engine) {
                    failing = fewer
                    isShorter = true
                } else {
                    start += size
                }
            }
            if size == 1, isShorter { continue }
            size /= 2
        }
        return failing
    }
}

/// A random run in which an engine differed from the model.
public struct RandomFailure: Error, Sendable, CustomStringConvertible {
    public var engine: String
    /// `RandomOperations.run` with this seed fails again.
    public var seed: UInt64
    /// The shortest failing list that was found.
    public var operations: [String]
    public var message: String

    public var description: String {
        "\(engine), seed \(seed): \(message)\nafter \(operations.count) operations:\n  "
            + operations.joined(separator: "\n  ")
    }
}

extension RandomFailure: LocalizedError {
    public var errorDescription: String? { description }
}
