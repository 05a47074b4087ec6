/// A text that is compared by its bytes, as a segment of a path or a name in a query. `String` would take composed and
/// decomposed characters for equal.
///
/// ```swift
/// switch target.segments.first { case "_all_dbs": ... }
/// ```
public struct TargetText: Hashable, Sendable, CustomStringConvertible, ExpressibleByStringLiteral {
    /// The text. Compare the values, never their strings.
    public let string: String

    public init(_ string: String) { self.string = string }

    public init(stringLiteral string: String) { self.string = string }

    public static func == (a: TargetText, b: TargetText) -> Bool { ASCII.isSame(a.string, b.string) }

    public func hash(into hasher: inout Hasher) {
        for byte in string.utf8 { hasher.combine(byte) }
        hasher.combine(UInt8(0xFF))
    }

    public var description: String { string }
}
