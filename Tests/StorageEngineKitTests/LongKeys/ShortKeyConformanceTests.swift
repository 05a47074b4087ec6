internal import Foundation
internal import StorageConformance
internal import Testing

/// An engine with a short maximum key length keeps every promise of the storage contract by `ShortKeyMapReader` and
/// `ShortKeyMapWriter`: with a limit so low that nearly all keys are cut, and with that of a page of PostgreSQL.
@Suite
struct ShortKeyConformanceTests {
    static let limits = [64, 2_700]
    static let isStress = ProcessInfo.processInfo.environment["SETTEE_STRESS"] != nil

    static func row(_ longestKey: Int) throws -> EngineCase {
        EngineCase(name: "keys of \(longestKey) bytes", factory: try LimitedEngineFactory(longestKey: longestKey))
    }

    @Test(arguments: limits, Conformance.tests)
    func keepsItsPromises(longestKey: Int, test: ConformanceTest) throws { try test.run(on: Self.row(longestKey)) }

    @Test(arguments: limits, Array(UInt64(1)...(isStress ? 40 : 3)))
    func answersRandomWorkAsTheModelDoes(longestKey: Int, seed: UInt64) throws {
        try RandomOperations.run(seed: seed, count: 300, on: Self.row(longestKey))
    }

    @Test
    func restoresFromKeysOfAnotherLength() throws {
        try Conformance.restore(from: Self.row(64), to: Self.row(2_700))
        try Conformance.restore(from: Self.row(2_700), to: Self.row(64))
    }
}
