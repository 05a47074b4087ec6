#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// A broken promise: what the contract says, what was expected and found, and where in the suite it was checked.
public struct ConformanceFailure: Error, Sendable, CustomStringConvertible {
    public var promise: String
    public var expected: String
    public var found: String
    public var file: String
    public var line: UInt

    public init(promise: String, expected: String, found: String, file: String, line: UInt) {
        self.promise = promise
        self.expected = expected
        self.found = found
        self.file = file
        self.line = line
    }

    public var description: String {
        "\(file):\(line): promised: \(promise)\n  expected: \(expected)\n  found:    \(found)"
    }
}

/// All promises that one test found to be broken.
public struct ConformanceFailures: Error, Sendable, CustomStringConvertible {
    public var test: String
    public var subject: String
    public var failures: [ConformanceFailure]

    public init(test: String, subject: String, failures: [ConformanceFailure]) {
        self.test = test
        self.subject = subject
        self.failures = failures
    }

    public var description: String {
        "\(subject): \(test)\n" + failures.map(\.description).joined(separator: "\n")
    }
}

extension ConformanceFailure: LocalizedError {
    public var errorDescription: String? { description }
}

extension ConformanceFailures: LocalizedError {
    public var errorDescription: String? { description }
}
