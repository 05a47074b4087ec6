internal import StorageProtocol

/// The promises that one test found to be broken, recorded from any thread.
final class BrokenPromises: Sendable {
    private let failures = Locked<[ConformanceFailure]>([])

    var all: [ConformanceFailure] { failures.withLock { $0 } }
    func add(_ failure: ConformanceFailure) { failures.withLock { $0.append(failure) } }
}

/// Records which promises are broken. Expectations do not throw, so they can be used inside the contract's closures,
/// and a test continues after one fails.
protocol Expecting: Sendable {
    var broken: BrokenPromises { get }
}

extension Expecting {
    var failures: [ConformanceFailure] { broken.all }

    func report(
        _ promise: String,
        _ expected: String,
        _ found: String,
        file: StaticString = #fileID,
        line: UInt = #line
    ) {
        let failure = ConformanceFailure(
            promise: promise,
            expected: expected,
            found: found,
            file: "\(file)",
            line: line
        )
        broken.add(failure)
    }

    func expect(_ condition: Bool, _ promise: String, file: StaticString = #fileID, line: UInt = #line) {
        if !condition { report(promise, "true", "false", file: file, line: line) }
    }

    func equal<T: Equatable>(
        _ found: T,
        _ expected: T,
        _ promise: String,
        file: StaticString = #fileID,
        line: UInt = #line
    ) {
        if found != expected {
            report(promise, describe(expected), describe(found), file: file, line: line)
        }
    }

    private func describe<T>(_ value: T) -> String {
        let text = "\(value)"
        return text.utf8.count > 2_000 ? "\(text.prefix(2_000))... (\(text.utf8.count) bytes)" : text
    }

    /// Expects `body` to throw, with this code if one is given.
    func fails(
        _ code: StorageError.Code?,
        _ promise: String,
        file: StaticString = #fileID,
        line: UInt = #line,
        _ body: () throws(StorageError) -> Void
    ) {
        let wanted = code.map { "\($0.status) \($0)" } ?? "an error"
        do throws(StorageError) {
            try body()
            report(promise, wanted, "no error", file: file, line: line)
        } catch {
            if let code, error.code != code { report(promise, wanted, "\(error)", file: file, line: line) }
        }
    }

    /// Runs `body` on a thread of its own. An error is a failure of the test.
    func thread(_ body: @escaping @Sendable () throws(StorageError) -> Void) -> Worker {
        Worker {
            do throws(StorageError) {
                try body()
            } catch {
                self.report("the calls of this thread succeed", "no error", "\(error) (\(error.location))")
            }
        }
    }
}
