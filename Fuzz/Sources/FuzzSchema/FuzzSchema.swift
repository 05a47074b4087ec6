import FuzzDriver
import SetteeDocumentValues
import SetteeJSONSchema
import StorageProtocol

/// Reads a schema and, behind a line break, a value, and judges the value.
private func fuzzSchema(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let parts = UnsafeBufferPointer(start: start, count: count)
        .split(separator: UInt8(ascii: "\n"), maxSplits: 1, omittingEmptySubsequences: false)
    guard parts.count == 2, let document = try? JSONValue(parsing: Array(parts[0])),
        let value = try? JSONValue(parsing: Array(parts[1])), let schema = try? JSONSchema(document)
    else { return 0 }
    let failures = schema.failures(in: value)
    precondition(schema.isValid(value) == failures.isEmpty, "the two answers differ")
    for failure in failures { precondition(value[failure.instancePath] != nil, "a failure is nowhere in the value") }
    precondition(schema.failures(in: value, limit: 1).isEmpty == failures.isEmpty, "the first failure is missing")
    _ = try? schema.selfValidate()
    return 0
}

@main
enum FuzzSchema {
    static func main() {
        fuzz { fuzzSchema($0, $1) }
    }
}
