internal import StorageProtocol

/// The values of `$in` and `$nin`.
struct OperandSet: Sendable, Hashable {
    /// Up to this number they are compared one by one, which needs no memory.
    private static let few = 8

    /// Empty if they are many.
    let operands: [Operand]
    /// The collation keys of all of them.
    let keys: Set<[UInt8]>
    let meaning: Meaning

    /// - Parameter meaning: that of the operands; one in which order and equality are the same.
    init(_ operands: [Operand], _ meaning: Meaning) {
        self.operands = operands.count > OperandSet.few ? [] : operands
        keys = Set(operands.map(\.key))
        self.meaning = meaning
    }

    static func == (a: OperandSet, b: OperandSet) -> Bool { a.meaning == b.meaning && a.keys == b.keys }

    func hash(into hasher: inout Hasher) { hasher.combine(keys) }

    /// Whether a value is equal to one of these. An array is in the set if one of its elements is; the array itself is
    /// not compared.
    ///
    /// - Complexity: O(the value's length).
    func contains(_ value: RawSpan, _ workspace: inout Workspace) throws(StorageError) -> Bool {
        guard ValueKind(value) == .array else { return try containsOne(value, &workspace) }
        var cursor = ContainerCursor()
        while let element = try cursor.element(in: value, &workspace) {
            if try containsOne(value.extracting(element), &workspace) { return true }
        }
        return false
    }

    private func containsOne(_ value: RawSpan, _ workspace: inout Workspace) throws(StorageError) -> Bool {
        for operand in operands {
            try workspace.count(Workspace.step)
            if try operand.equals(value, &workspace) { return true }
        }
        guard operands.isEmpty, !keys.isEmpty else { return false }
        do throws(StorageError) {
            try workspace.makeKey(of: value, isRaw: meaning.equatesRaw)
        } catch {
            // None of these has so large a key.
            guard error.code == .tooLarge else { throw error }
            return false
        }
        return keys.contains(workspace.key)
    }
}
