/// How two values are compared. The texts are those of stored definitions.
package enum Comparison: String, Sendable, CaseIterable {
    case equal = "=="
    case unequal = "!="
    case less = "<"
    case atMost = "<="
    case greater = ">"
    case atLeast = ">="

    var opposite: Comparison {
        switch self {
        case .less: .atLeast
        case .atMost: .greater
        case .equal: .unequal
        case .unequal: .equal
        case .atLeast: .less
        case .greater: .atMost
        }
    }
}
