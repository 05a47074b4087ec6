package import SetteeDocumentValues
package import StorageProtocol

/// A comparison with a literal in the meaning of stored definitions: it does not hold for values of unlike types, nor
/// for one that is too large to be a key. Values are ordered as in views, but strings are equal only if their bytes
/// are, also inside arrays and objects.
package struct ValueCheck: Sendable {
    /// A text of at most this length can always be a key: no character has a sort key of more than 64 times its length.
    private static let surelyAKey = Collator.maximumKeyLength / 64

    private let comparison: Comparison
    /// The literal in the order of views.
    private let ordered: Operand
    /// The literal where strings are compared by their bytes.
    private let exact: Operand

    /// - Throws: `badJSON` (493), `tooLarge` (413) if the literal cannot be a key.
    package init(_ comparison: Comparison, _ literal: JSONValue) throws(StorageError) {
        self.comparison = comparison
        ordered = try Operand(literal, isRaw: false)
        exact = try Operand(literal, isRaw: true)
    }

    /// Whether the comparison holds for a value; false for damaged text.
    package func holds(_ value: RawSpan) -> Bool {
        guard let kind = ValueKind(value), kind.isSameType(as: ordered.kind) else { return false }
        do throws(StorageError) {
            var workspace = Workspace()
            switch comparison {
            case .equal: return try exact.equals(value, &workspace)
            case .unequal:
                if try exact.equals(value, &workspace) { return false }
                return try isKey(value, &workspace)
            case .atMost, .atLeast:
                if try exact.equals(value, &workspace) { return true }
                let order = try order(value, &workspace)
                return comparison == .atMost ? order < 0 : order > 0
            case .less: return try order(value, &workspace) < 0
            case .greater: return try order(value, &workspace) > 0
            }
        } catch { return false }
    }

    private func order(_ value: RawSpan, _ workspace: inout Workspace) throws(StorageError) -> Int {
        guard try isKey(value, &workspace) else { return 0 }
        return try ordered.order(of: value, &workspace)
    }

    private func isKey(_ value: RawSpan, _ workspace: inout Workspace) throws(StorageError) -> Bool {
        if value.byteCount > ValueCheck.surelyAKey { try workspace.makeKey(of: value, isRaw: false) }
        return true
    }
}
