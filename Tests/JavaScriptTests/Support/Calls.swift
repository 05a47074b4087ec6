import SetteeJavaScript
import Testing

/// A configuration with short limits.
func short(
    time: Duration = .milliseconds(300),
    memory: Int = 256 << 20,
    output: Int = 64 << 20
) -> JavaScriptConfiguration {
    JavaScriptConfiguration(timeLimit: time, memoryLimit: memory, outputLimit: output)
}

func function(_ source: String, scope: String = "db/_design/d") -> JavaScriptFunction {
    JavaScriptFunction(source, scope: scope)
}

func bytes(_ text: String) -> [UInt8] { Array(text.utf8) }

func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }

extension JavaScriptWorker {
    /// Maps texts with one function. Each outcome is the rows as `key: value`, or the error.
    func rows(_ source: String, _ documents: [String], scope: String = "db/_design/d") throws -> [Outcome] {
        let outcomes = try map([function(source, scope: scope)], documents.map(bytes))
        let first = try #require(outcomes.first)
        #expect(outcomes.count == 1 && first.count == documents.count)
        return first.map(Outcome.init)
    }
}

/// The rows of a document as text, or the error in their place.
enum Outcome: Hashable, CustomTestStringConvertible {
    case rows([String])
    case error(JavaScriptError)

    init(_ result: Result<[JavaScriptRow], JavaScriptError>) {
        switch result {
        case .success(let rows): self = .rows(rows.map { "\(text($0.key)): \(text($0.value))" })
        case .failure(let error): self = .error(error)
        }
    }

    /// The message that the function threw.
    var thrown: String? { if case .error(.thrown(let message)) = self { message } else { nil } }

    var testDescription: String { "\(self)" }
}

/// The error that a call throws, nil if it throws none.
func failure<R>(_ body: () throws(JavaScriptError) -> R) -> JavaScriptError? {
    do throws(JavaScriptError) {
        _ = try body()
        return nil
    } catch {
        return error
    }
}
