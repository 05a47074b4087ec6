/// What an operator asks of one value.
enum ValueTest: Sendable, Hashable {
    case compare(Comparison, Operand)
    case isIn(OperandSet)
    case isNotIn(OperandSet)
    case exists(Bool)
    case type([ValueKind])
    case modulus(Modulus)
    case pattern(RegularExpression)
    case begins(TextPrefix)
    /// An array with this number of elements.
    case size(UInt64)
    case containsAll(ContainedValues)
    /// An array with an element that meets the condition.
    case someElement(Matcher)
    /// An array that is not empty, whose elements all meet the condition.
    case everyElement(Matcher)
    /// An object with a member whose name meets the condition.
    case someName(Matcher)

    /// The test that holds exactly where this one does not, if there is one.
    var opposite: ValueTest? {
        switch self {
        case .compare(let comparison, let operand): .compare(comparison.opposite, operand)
        case .isIn(let set): .isNotIn(set)
        case .isNotIn(let set): .isIn(set)
        case .exists(let wanted): .exists(!wanted)
        default: nil
        }
    }
}
