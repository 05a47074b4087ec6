/// An integer outside of Int64 and UInt64, with all of its digits.
///
/// It is within the range of doubles, so at most 309 digits long. Where numbers are compared, added up or decoded as
/// a `Double`, it counts as the nearest one.
public struct JSONLongInteger: Sendable, Hashable, CustomStringConvertible {
    /// A minus sign or none, and the digits, which do not begin with zero.
    public let description: String

    /// Creates the integer; nil if the text is not one, if `JSONValue.int` or `.uint` holds it, or if it is beyond the
    /// range of doubles.
    public init?(_ text: String) {
        let isNegative = text.utf8.first == UInt8(ascii: "-")
        let digits = text.utf8.dropFirst(isNegative ? 1 : 0)
        guard digits.count >= 19, digits.count <= 309, digits.first != UInt8(ascii: "0"),
            digits.allSatisfy({ UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 }), Int64(text) == nil,
            UInt64(text) == nil, Double(text)?.isFinite == true
        else { return nil }
        description = text
    }

    /// Takes a text that the parser has checked.
    init(checked text: String) { description = text }

    /// The nearest double.
    public var doubleValue: Double { Double(description) ?? .nan }
}
