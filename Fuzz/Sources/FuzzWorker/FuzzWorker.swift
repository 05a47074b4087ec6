import FuzzDriver
import SetteeDocumentValues

@testable import SetteeJavaScript

/// Reads the bytes as the answer of a worker that wants to do harm. The first byte says how many functions were called,
/// the second how many documents each was given.
private func fuzzWorker(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let bytes = Array(UnsafeBufferPointer(start: start, count: count))
    guard bytes.count >= 2 else { return 0 }
    let functions = Int(bytes[0] % 5)
    let documents = Int(bytes[1] % 4)
    let frame = Array(bytes[2...])
    guard let response = JavaScriptResponse(frame, functions: functions == 0 ? nil : functions) else { return 0 }
    switch response {
    case .refused(let message, _): precondition(message.utf8.count <= 500, "a long message")
    case .done(let outputs):
        precondition(outputs.count == functions, "as many outputs as functions")
        for output in outputs {
            precondition(output.upperBound <= frame.count, "an output ends behind the frame")
            guard let reader = try? OutputReader(frame, output) else { continue }
            read(reader, documents)
        }
    case .defined, .timeLimit, .outputLimit, .failed, .unreadable: break
    }
    return 0
}

private func read(_ reader: borrowing OutputReader, _ documents: Int) {
    if let rows = reader.elements(documents, { parser, node in parser.rows(node).map { .success($0) } }) {
        check(rows, documents)
        for row in rows.compactMap({ try? $0.get() }).joined() {
            checkText(row.key)
            checkText(row.value)
        }
    }
    if let values = reader.elements(documents, { parser, node in parser.onlyElement(node).map { .success($0) } }) {
        check(values, documents)
        for value in values.compactMap({ try? $0.get() }) { checkText(value) }
    }
    if let answers = reader.elements(documents, { parser, node in parser.bool(node).map { .success($0) } }) {
        check(answers, documents)
    }
    if let verdicts = reader.elements(documents, { parser, node in parser.validation(node).map { .success($0) } }) {
        check(verdicts, documents)
    }
}

private func check<Outcome>(_ outcomes: [Result<Outcome, JavaScriptError>], _ documents: Int) {
    precondition(outcomes.count == documents, "a document has no outcome")
    for case .failure(.thrown(let message)) in outcomes { precondition(message.utf8.count <= 500, "a long message") }
}

/// What is stored must be canonical.
private func checkText(_ text: [UInt8]) {
    guard let value = try? JSONValue(parsing: text) else { fatalError("a row is no JSON") }
    precondition((try? value.canonicalBytes()) == text, "a row is not canonical")
}

@main
enum FuzzWorker {
    static func main() {
        fuzz { fuzzWorker($0, $1) }
    }
}
