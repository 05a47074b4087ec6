/// A field that a condition is on, and the number under which a walk finds it.
struct Field: Sendable, Hashable {
    let path: FieldPath
    /// The number in the `PathTrie` of its `Matcher`, which sets it; -1: the field is not part of a text.
    var number = -1

    static func == (a: Field, b: Field) -> Bool { a.path == b.path }

    func hash(into hasher: inout Hasher) { hasher.combine(path) }
}
