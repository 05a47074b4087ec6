internal import SetteeDocumentValues
internal import SetteeEngine
internal import SetteeExpressions
internal import StorageProtocol

/// A condition on one part of a row's key, ready to be checked.
struct PartCheck: Sendable {
    private enum Check: Sendable {
        case comparison(ValueCheck)
        /// The part is a string whose canonical text begins with these bytes: the canonical text of the prefix without
        /// its closing quote.
        case beginning([UInt8])
        case never
    }

    /// The part's position in the key.
    private let place: JSONPointer
    private let check: Check

    /// - Parameters:
    ///   - part: its index among the parts of the key.
    ///   - count: the number of parts. A key with a single part is not an array.
    /// - Throws: `badParameter` (495) if the operand cannot be a key.
    init(
        part: Int,
        of count: Int,
        _ comparison: QueryPredicate.Comparison,
        _ operand: JSONValue
    ) throws(StorageError) {
        place = JSONPointer(names: count > 1 ? [String(part)] : [])
        if let known = Comparison(rawValue: comparison.rawValue) {
            do throws(StorageError) {
                check = .comparison(try ValueCheck(known, operand))
            } catch {
                throw StorageError(.badParameter, "A parameter's value cannot be a key: \(error.message)")
            }
        } else if operand.stringValue != nil {
            check = .beginning(try operand.canonicalBytes().dropLast())
        } else {
            check = .never
        }
    }

    func holds(_ row: QueryRow) -> Bool {
        row.withKeyJSON { key in
            guard let range = JSONScanner.range(of: place, in: key) else { return false }
            let text = key.extracting(range)
            switch check {
            case .comparison(let check): return check.holds(text)
            case .beginning(let prefix):
                guard text.byteCount > prefix.count else { return false }
                return unsafe compareBytes(text.extracting(first: prefix.count), prefix.span.bytes) == 0
            case .never: return false
            }
        } ?? false
    }
}
