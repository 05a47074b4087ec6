internal import SetteeDocumentValues
internal import StorageProtocol

/// A comparison of one field of a body with a literal. Most conditions consist of a few of them, which are all to hold:
/// nothing is copied or counted to apply one.
final class FieldComparison: Sendable {
    private let number: Int
    private let comparison: Comparison
    private let operand: Operand

    private init(_ number: Int, _ comparison: Comparison, _ operand: Operand) {
        self.number = number
        self.comparison = comparison
        self.operand = operand
    }

    /// Returns the comparisons that all have to hold for a condition to hold; nil if it is of another kind.
    ///
    /// - Parameter number: that of the field which the condition is applied to; nil: it is applied to the body.
    static func all(of condition: Condition, number: Int? = nil) -> [FieldComparison]? {
        switch condition {
        case .all(let parts):
            var all: [FieldComparison] = []
            for part in parts {
                guard let some = FieldComparison.all(of: part, number: number) else { return nil }
                all += some
            }
            return all
        case .field(let field, let condition) where number == nil && field.path.special == nil:
            return FieldComparison.all(of: condition, number: field.number)
        case .test(.compare(let comparison, let operand)):
            return number.map { [FieldComparison($0, comparison, operand)] }
        default: return nil
        }
    }

    /// Whether it holds for a body with these fields.
    func holds(_ body: RawSpan, _ found: FoundPlaces, _ workspace: inout Workspace) throws(StorageError) -> Bool {
        guard let range = found[number] else { return false }
        let value = body.extracting(range)
        try workspace.count(Workspace.step + value.byteCount)
        return try operand.passes(comparison, value, &workspace)
    }
}
