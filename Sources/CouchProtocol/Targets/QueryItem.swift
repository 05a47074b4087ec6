/// A name and its value in a query. Without `=` the value is empty.
public struct QueryItem: Hashable, Sendable {
    public var name: TargetText
    public var value: TargetText

    public init(_ name: String, _ value: String) {
        self.name = TargetText(name)
        self.value = TargetText(value)
    }
}
