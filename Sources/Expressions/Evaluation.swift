internal import SetteeDocumentValues
internal import StorageProtocol

/// Applies a selector to one revision. The recursion is as deep as the selector.
struct Evaluation {
    /// The JSON text of the document's ID; empty if the selector does not name it.
    let id: [UInt8]
    /// The JSON text of the revision's ID; empty if the selector does not name it.
    let revision: [UInt8]
    let isDeleted: Bool

    /// Whether a value meets a condition.
    ///
    /// - Parameters:
    ///   - found: the fields of the value.
    ///   - workspace: what the evaluation may still use.
    func holds(
        _ condition: Condition,
        _ value: RawSpan,
        _ found: FoundPlaces,
        _ workspace: inout Workspace
    ) throws(StorageError) -> Bool {
        try workspace.count(Workspace.step)
        switch condition {
        case .all(let parts):
            for part in parts {
                if try !holds(part, value, found, &workspace) { return false }
            }
            return true
        case .any(let parts):
            for part in parts {
                if try holds(part, value, found, &workspace) { return true }
            }
            return parts.isEmpty
        case .not(let condition): return try !holds(condition, value, found, &workspace)
        case .field(let field, let condition): return try holds(condition, of: field, value, found, &workspace)
        case .test(let test): return try passes(test, value, &workspace)
        }
    }

    @inline(never)
    private func holds(
        _ condition: Condition,
        of field: Field,
        _ value: RawSpan,
        _ found: FoundPlaces,
        _ workspace: inout Workspace
    ) throws(StorageError) -> Bool {
        let path = field.path
        // These are no objects, so that a longer path leads nowhere.
        switch path.special {
        case .id: return path.count == 1 ? try unsafe holds(condition, id.span.bytes, found, &workspace) : false
        case .revision:
            return path.count == 1 ? try unsafe holds(condition, revision.span.bytes, found, &workspace) : false
        case .deleted where isDeleted:
            return path.count == 1 ? try unsafe holds(condition, Evaluation.true.span.bytes, found, &workspace) : false
        default: break
        }
        if let range = found[field.number] { return try holds(condition, value.extracting(range), found, &workspace) }
        guard case .test(.exists(false)) = condition else { return false }
        try workspace.count(value.byteCount, times: path.count)
        return path.isAbsent(in: value)
    }

    private static let `true` = Array("true".utf8)

    /// Whether a value passes a test.
    ///
    /// Not within `holds`, which every level of a selector is on the stack with.
    @inline(never)
    private func passes(_ test: ValueTest, _ value: RawSpan, _ workspace: inout Workspace) throws(StorageError) -> Bool
    {
        try workspace.count(value.byteCount)
        switch test {
        case .compare(let comparison, let operand): return try operand.passes(comparison, value, &workspace)
        case .isIn(let set): return try set.contains(value, &workspace)
        case .isNotIn(let set): return try !set.contains(value, &workspace)
        case .exists(let wanted): return wanted
        case .type(let kinds): return ValueKind(value).map { kinds.contains($0) } ?? false
        case .modulus(let modulus): return modulus.holds(for: value)
        case .pattern(let pattern): return try pattern.matches(value, &workspace)
        case .begins(let prefix): return prefix.begins(value)
        case .size(let count): return try hasElements(count, value, &workspace)
        case .containsAll(let values): return try values.areAll(in: value, &workspace)
        case .someElement(let matcher): return try someHas(true, matcher, partsOf: value, .array, &workspace) ?? false
        // No element fails, and there is one.
        case .everyElement(let matcher): return try someHas(false, matcher, partsOf: value, .array, &workspace) == false
        case .someName(let matcher): return try someHas(true, matcher, partsOf: value, .object, &workspace) ?? false
        }
    }

    private func hasElements(
        _ count: UInt64,
        _ value: RawSpan,
        _ workspace: inout Workspace
    ) throws(StorageError) -> Bool {
        guard ValueKind(value) == .array else { return false }
        var cursor = ContainerCursor()
        var found: UInt64 = 0
        while found <= count, try cursor.element(in: value, &workspace) != nil { found += 1 }
        return found == count
    }

    /// Whether a condition has a certain result for one of a value's parts; nil if it has no parts.
    ///
    /// - Parameter kind: The parts are the elements of an array, or the names of an object.
    private func someHas(
        _ wanted: Bool,
        _ matcher: Matcher,
        partsOf value: RawSpan,
        _ kind: ValueKind,
        _ workspace: inout Workspace
    ) throws(StorageError) -> Bool? {
        guard ValueKind(value) == kind else { return nil }
        var cursor = ContainerCursor()
        var result: Bool?
        while let part = try kind == .array
            ? cursor.element(in: value, &workspace) : cursor.name(in: value, &workspace)
        {
            if try matcher.holds(value.extracting(part), self, &workspace) == wanted { return true }
            result = false
        }
        return result
    }
}
