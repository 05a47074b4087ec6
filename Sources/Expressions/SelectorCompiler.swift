internal import SetteeDocumentValues
internal import StorageProtocol

/// Brings a selector into the form in which it is evaluated.
///
/// What CouchDB does in three passes is done in one: implicit operators become explicit, the names of fields move down
/// to the operators that test values, and so does each negation. A field that does not exist therefore fails `$not` and
/// `$nor`, too: `{"$not": {"a": 1}}` asks for an `a` other than 1. CouchDB moves no negation within `$elemMatch`,
/// `$allMatch` and `$keyMapMatch`, where `$not` is true whenever its argument is not.
struct SelectorCompiler {
    private var conditions = 0
    /// The length of the regular expressions so far, in UTF-16 code units.
    private var patternLength = 0
    /// The names of members, and the places in arrays, that lead to what is compiled.
    private var place: [String] = []

    /// Compiles a part of a selector.
    ///
    /// - Parameter step: The name, or the place in an array, under which the caller finds it.
    mutating func part(
        at step: String,
        _ compile: (inout SelectorCompiler) throws(StorageError) -> Condition
    ) throws(StorageError) -> Condition {
        place.append(step)
        defer { place.removeLast() }
        return try compile(&self)
    }

    /// Compiles a value where a selector can be.
    mutating func condition(_ value: JSONValue, _ context: SelectorContext) throws(StorageError) -> Condition {
        try count(context)
        // An empty object is a value.
        guard case .object(let members) = value, !members.isEmpty else {
            return try terminal(.compare(.equal, operand(value, .equal, context)), context)
        }
        var parts: [Condition] = []
        for (name, value) in members {
            parts.append(
                try part(at: name) { (compiler) throws(StorageError) in try compiler.member(name, value, context) }
            )
        }
        if parts.count == 1 { return parts[0] }
        return context.isNegated ? .any(parts) : .all(parts)
    }

    private mutating func count(_ context: SelectorContext) throws(StorageError) {
        conditions += 1
        guard conditions <= MangoSelector.maximumConditions else { throw SelectorFault.tooMany }
        guard context.depth <= MangoSelector.maximumDepth else { throw SelectorFault.tooDeep(at: place) }
    }

    private mutating func member(
        _ name: String,
        _ value: JSONValue,
        _ context: SelectorContext
    ) throws(StorageError) -> Condition {
        if name.utf8.first == UInt8(ascii: "$") {
            guard let operation = Operator(named: name) else { throw SelectorFault.unknown(name) }
            try count(context)
            return try condition(operation, value, context)
        }
        let field = context.field(name)
        guard field.path.count <= MangoSelector.maximumPathLength else { throw SelectorFault.longPath(field.path) }
        return try condition(value, field)
    }

    /// Makes a condition of a test.
    func terminal(_ test: ValueTest, _ context: SelectorContext) throws(StorageError) -> Condition {
        var condition = Condition.test(test)
        if context.isNegated { condition = test.opposite.map { .test($0) } ?? .not(condition) }
        if context.path.isEmpty {
            guard context.isInner else { throw SelectorFault.noField }
            return condition
        }
        return .field(Field(path: try FieldPath(context.path, fromDocument: !context.isInner)), condition)
    }

    func operand(
        _ value: JSONValue,
        _ operation: Operator,
        _ context: SelectorContext
    ) throws(StorageError) -> Operand {
        do throws(StorageError) {
            return try Operand(value, context.meaning)
        } catch {
            switch error.code {
            case .badJSON: throw SelectorFault.badArgument(operation, "it has no JSON text", cause: error)
            case .tooLarge: throw SelectorFault.badArgument(operation, "it is too large to be compared", cause: error)
            default: throw error
            }
        }
    }

    /// Compiles the argument of `$regex`.
    mutating func pattern(_ pattern: String) throws(StorageError) -> RegularExpression {
        patternLength += pattern.utf16.count
        guard patternLength <= MangoSelector.maximumPatternLength else { throw SelectorFault.longPatterns }
        return try RegularExpression(pattern)
    }
}
