/// The operators that compare.
enum Comparison: Sendable {
    case less
    case lessOrEqual
    case equal
    case unequal
    case greaterOrEqual
    case greater

    var opposite: Comparison {
        switch self {
        case .less: .greaterOrEqual
        case .lessOrEqual: .greater
        case .equal: .unequal
        case .unequal: .equal
        case .greaterOrEqual: .less
        case .greater: .lessOrEqual
        }
    }
}
