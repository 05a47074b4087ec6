import FuzzDriver
import SetteeDocumentValues
import SetteeExpressions
import StorageProtocol

private let id = DocumentID("a")
private let revision = try? RevisionID("1-a")

/// Reads a selector and, behind a line break, a document, and matches the one with the other: as it is stored, and the
/// bytes as they are, as if a file were damaged. Selectors that mean the same must say the same.
private func fuzzSelector(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let parts = UnsafeBufferPointer(start: start, count: count)
        .split(separator: UInt8(ascii: "\n"), maxSplits: 1, omittingEmptySubsequences: false)
    guard parts.count == 2, let revision, let value = try? JSONValue(parsing: Array(parts[0])) else { return 0 }
    let selector: MangoSelector
    do throws(StorageError) {
        selector = try MangoSelector(value)
    } catch {
        precondition(error.code == .badRequest, "another error")
        return 0
    }
    let raw = Array(parts[1])
    _ = answer(selector, raw)

    guard let document = try? JSONValue(parsing: raw), document.objectValue != nil,
        let body = try? document.canonicalBytes(), let found = answer(selector, body)
    else { return 0 }
    for same: JSONValue in [["$and": [value]], ["$or": [value]], ["$nor": [["$nor": [value]]]]] {
        // It may be too deep now, and an empty selector is none where an operator wants one.
        guard let selector = try? MangoSelector(same), value != [:], let again = answer(selector, body) else {
            continue
        }
        precondition(again == found, "the same selector says something else")
    }
    return 0
}

/// - Returns: nil if the document is refused.
private func answer(_ selector: MangoSelector, _ body: [UInt8]) -> Bool? {
    do throws(StorageError) {
        return try selector.matches(
            body.span.bytes,
            id: id,
            revision: revision,
            isDeleted: body.count.isMultiple(of: 7)
        )
    } catch {
        let codes: [StorageError.Code] = [.badRequest, .tooLarge, .badJSON]
        precondition(codes.contains(error.code), "another error")
        return nil
    }
}

@main
enum FuzzSelector {
    static func main() {
        fuzz { fuzzSelector($0, $1) }
    }
}
