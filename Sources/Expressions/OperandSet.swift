internal import StorageProtocol

/// The values of `$in` and `$nin`.
struct OperandSet: Sendable {
    /// Up to this number they are compared one by one, which needs no memory.
    private static let few = 8

    private let operands: [Operand]
    /// The collation keys of all of them, if they are many.
    private let keys: Set<[UInt8]>
    private let isRaw: Bool

    init(_ operands: [Operand], isRaw: Bool) {
        let isLarge = operands.count > OperandSet.few
        self.operands = isLarge ? [] : operands
        keys = isLarge ? Set(operands.map(\.key)) : []
        self.isRaw = isRaw
    }

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
        if keys.isEmpty { return false }
        do throws(StorageError) {
            try workspace.makeKey(of: value, isRaw: isRaw)
        } catch {
            // None of these has so large a key.
            guard error.code == .tooLarge else { throw error }
            return false
        }
        return keys.contains(workspace.key)
    }
}
