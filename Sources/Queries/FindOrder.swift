/// A field that rows are ordered by, and the direction.
public struct FindOrder: Sendable, Hashable {
    /// The path to the field, as in selectors: `total`, `address.city`, `tags.0`.
    public let field: String
    /// Whether larger values come first.
    public let descending: Bool

    /// - Parameters:
    ///   - field: a path as in selectors.
    ///   - descending: whether larger values come first.
    public init(_ field: String, descending: Bool = false) {
        self.field = field
        self.descending = descending
    }

    /// Smaller values first.
    public static func ascending(_ field: String) -> FindOrder { FindOrder(field) }
    /// Larger values first.
    public static func descending(_ field: String) -> FindOrder { FindOrder(field, descending: true) }

    public static func == (a: FindOrder, b: FindOrder) -> Bool {
        a.descending == b.descending && a.field.utf8.elementsEqual(b.field.utf8)
    }
    public func hash(into hasher: inout Hasher) {
        for byte in field.utf8 { hasher.combine(byte) }
        hasher.combine(descending)
    }
}
