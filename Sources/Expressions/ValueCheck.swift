package import SetteeDocumentValues
package import StorageProtocol

/// A comparison with a literal in the meaning of stored definitions.
package struct ValueCheck: Sendable {
    private let comparison: Comparison
    private let literal: Operand

    /// - Throws: `badJSON` (493), `tooLarge` (413) if the literal cannot be a key.
    package init(_ comparison: Comparison, _ literal: JSONValue) throws(StorageError) {
        self.comparison = comparison
        self.literal = try Operand(literal, .definition)
    }

    /// Whether the comparison holds for a value; false for damaged text and for a value that cannot be a key.
    package func holds(_ value: RawSpan) -> Bool {
        var workspace = Workspace()
        do throws(StorageError) {
            return try literal.passes(comparison, value, &workspace)
        } catch { return false }
    }
}
