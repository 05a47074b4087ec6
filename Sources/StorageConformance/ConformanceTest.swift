internal import StorageProtocol

/// A test of one promise of the storage contract.
///
/// `run` opens what it needs. After every test it checks that no transaction was left open, that the engine's own
/// `verify` finds nothing, and, for a persistent engine, that the closed store opens again and is sound.
public struct ConformanceTest: Sendable, CustomStringConvertible {
    /// The part of the contract: `Ranges`, `Transactions`, ...
    public let area: String
    /// What is promised.
    public let promise: String
    let needs: Needs
    private let body: @Sendable (ConformanceContext) throws -> Void

    /// What an engine must have for the test to apply.
    struct Needs: OptionSet, Sendable {
        let rawValue: Int
        static let persistence = Needs(rawValue: 1)
        static let processes = Needs(rawValue: 2)
        static let copies = Needs(rawValue: 4)
    }

    init(
        _ area: String,
        _ promise: String,
        needs: Needs = [],
        _ body: @escaping @Sendable (ConformanceContext) throws -> Void
    ) {
        self.area = area
        self.promise = promise
        self.needs = needs
        self.body = body
    }

    public var description: String { "\(area): \(promise)" }

    /// Whether the test applies to this engine: tests of files do not apply to an engine in memory.
    public func applies(to engine: EngineCase) -> Bool {
        (!needs.contains(.persistence) || engine.isPersistent)
            && (!needs.contains(.copies) || engine.factory.capabilities.canCopy)
            && (!needs.contains(.processes) || engine.startPart != nil)
    }

    /// Runs the test on a new store. Does nothing if it does not apply.
    ///
    /// - Throws: `ConformanceFailures` with every broken promise; errors of creating directories.
    public func run(on engine: EngineCase) throws {
        guard applies(to: engine) else { return }
        let context = ConformanceContext(engine)
        defer { context.removeDirectories() }
        do {
            try body(context)
            context.checkAfterTest()
        } catch let error as StorageError {
            context.report("the calls of this test succeed", "no error", "\(error) (\(error.location))")
        }
        context.closeAll()
        if !context.failures.isEmpty {
            throw ConformanceFailures(test: description, subject: engine.name, failures: context.failures)
        }
    }
}
