internal import SetteeDocumentValues
internal import StorageProtocol

/// A JSON number that is compared by value, whether it is stored as an integer or as a double.
enum ExactNumber: Hashable {
    case whole(Int128)
    /// Not whole, or beyond the range of `Int128`.
    case double(Double)

    /// Nil if the value is not a number.
    init?(_ value: JSONValue) {
        switch value {
        case .int(let number): self = .whole(Int128(number))
        case .uint(let number): self = .whole(Int128(number))
        case .longInteger(let number):
            self = Int128(number.description).map { .whole($0) } ?? .double(number.doubleValue)
        case .double(let number): self = Int128(exactly: number).map { .whole($0) } ?? .double(number)
        default: return nil
        }
    }

    var isWhole: Bool {
        switch self {
        case .whole: true
        case .double(let number): number.isFinite && number.rounded(.towardZero) == number
        }
    }

    static func < (a: ExactNumber, b: ExactNumber) -> Bool {
        switch (a, b) {
        case (.whole(let x), .whole(let y)): x < y
        case (.double(let x), .double(let y)): x < y
        case (.whole(let x), .double(let y)): ExactNumber.isBelow(x, y)
        case (.double(let x), .whole(let y)): ExactNumber.isBelow(-y, -x)
        }
    }

    /// `y` has a fraction, or its magnitude is beyond `Int128`.
    private static func isBelow(_ x: Int128, _ y: Double) -> Bool {
        guard let floor = Int128(exactly: y.rounded(.down)) else { return y > 0 }
        return x <= floor
    }
}
