internal import SetteeEngine
internal import StorageProtocol

/// Conditions on documents, all of which must hold. A comparison of unlike types, or with a missing value, does not
/// hold.
public struct QueryPredicate: Sendable, Equatable {
    enum Comparison: String, Sendable {
        case equal = "=="
        case unequal = "!="
        case less = "<"
        case atMost = "<="
        case greater = ">"
        case atLeast = ">="
        case begins = "begins with"

        /// Whether all values for which it holds are adjacent in an index.
        var isRange: Bool { self != .equal && self != .unequal }
    }

    struct Condition: Sendable, Equatable {
        var place: QueryPlace
        var comparison: Comparison
        var operand: QueryOperand
    }

    var conditions: [Condition]

    init(_ place: QueryPlace, _ comparison: Comparison, _ operand: QueryOperand) {
        conditions = [Condition(place: place, comparison: comparison, operand: operand)]
    }

    public static func && (a: QueryPredicate, b: QueryPredicate) -> QueryPredicate {
        var both = a
        both.conditions += b.conditions
        return both
    }
}

extension QueryPredicate.Condition: CustomStringConvertible {
    var description: String {
        switch operand {
        case .value(let value): "\(place.pointer) \(comparison.rawValue) \(value)"
        case .parameter(let name): "\(place.pointer) \(comparison.rawValue) $\(name)"
        }
    }

    static func == (a: Self, b: Self) -> Bool {
        a.place == b.place && a.comparison == b.comparison && a.operand == b.operand
    }
}
