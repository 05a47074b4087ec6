internal import SetteeDocumentValues
internal import StorageProtocol

/// A condition on a document or on an element, with the walk that finds all fields of it.
struct Matcher: Sendable, Hashable {
    let condition: Condition
    /// Finds the fields, in the order of their numbers.
    let trie: PathTrie
    /// The same as the condition, if it is that simple.
    private let comparisons: [FieldComparison]?

    init(_ condition: Condition) {
        var paths: [FieldPath] = []
        var numbers: [FieldPath: Int] = [:]
        self.condition = condition.mappingFields { field in
            // These are no members of the text.
            if field.path.special == .id || field.path.special == .revision { return field }
            if let number = numbers[field.path] { return Field(path: field.path, number: number) }
            let number = paths.count
            numbers[field.path] = number
            paths.append(field.path)
            return Field(path: field.path, number: number)
        }
        trie = PathTrie(paths)
        comparisons = FieldComparison.all(of: self.condition)
    }

    /// A part of another one's condition, whose walk it shares.
    init(_ part: Condition, of whole: Matcher) {
        condition = part
        trie = whole.trie
        comparisons = FieldComparison.all(of: part)
    }

    static func == (a: Matcher, b: Matcher) -> Bool { a.condition == b.condition }

    func hash(into hasher: inout Hasher) { hasher.combine(condition) }

    /// Whether a value meets the condition.
    ///
    /// - Parameter workspace: what the evaluation may still use.
    func holds(
        _ value: RawSpan,
        _ evaluation: Evaluation,
        _ workspace: inout Workspace
    ) throws(StorageError) -> Bool {
        if trie.isEmpty { return try evaluation.holds(condition, value, .none, &workspace) }
        try workspace.count(value.byteCount)
        return try walk(value, evaluation, &workspace)
    }

    @inline(never)
    private func walk(
        _ value: RawSpan,
        _ evaluation: Evaluation,
        _ workspace: inout Workspace
    ) throws(StorageError) -> Bool {
        try unsafe withUnsafeTemporaryAllocation(of: Range<Int>.self, capacity: trie.count) {
            (ranges) throws(StorageError) in
            try holds(value, unsafe trie.find(in: value, ranges), evaluation, &workspace)
        }
    }

    /// Whether a value meets the condition of which the fields were found.
    ///
    /// Inlined, because it is on the stack once for each level of a selector.
    @inline(__always)
    func holds(
        _ value: RawSpan,
        _ found: FoundPlaces,
        _ evaluation: Evaluation,
        _ workspace: inout Workspace
    ) throws(StorageError) -> Bool {
        guard let comparisons else { return try evaluation.holds(condition, value, found, &workspace) }
        for comparison in comparisons where try !comparison.holds(value, found, &workspace) { return false }
        return true
    }
}

extension PathTrie {
    /// Finds fields of documents.
    package convenience init(_ paths: [FieldPath]) { self.init(paths.map(\.pointer)) }
}
