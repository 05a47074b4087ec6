internal import SetteeDocumentValues
internal import StorageProtocol

/// Brings a selector into the form in which it is evaluated.
///
/// What CouchDB does in three passes is done in one: implicit operators become explicit, the names of fields move down
/// to the operators that test values, and so does each negation. A field that does not exist therefore fails `$not` and
/// `$nor`, too: `{"$not": {"a": 1}}` asks for an `a` other than 1. CouchDB moves no negation within `$elemMatch`,
/// `$allMatch` and `$keyMapMatch`, where `$not` is true whenever its argument is not.
struct SelectorCompiler {
    /// Called after each `steps` conditions and values.
    private let check: () throws(StorageError) -> Void
    private static let steps = 64
    private var stepsDone = 0
    private var conditions = 0
    /// The length of the regular expressions so far, in UTF-16 code units.
    private var patternLength = 0
    /// The names of members, and the places in arrays, that lead to what is compiled.
    private var place: [String] = []

    init(check: @escaping () throws(StorageError) -> Void) { self.check = check }

    /// Called for each condition and value.
    mutating func step() throws(StorageError) {
        stepsDone &+= 1
        if stepsDone % SelectorCompiler.steps == 0 { try check() }
    }

    /// Compiles a value where a selector can be.
    ///
    /// The recursion is as deep as the selector. What needs much of the stack is in functions of its own, which have
    /// returned before the next level begins: 512 levels must fit into the small stack of a thread.
    mutating func condition(_ value: JSONValue, _ context: SelectorContext) throws(StorageError) -> Condition {
        try count(context)
        // An empty object is a value.
        guard case .object(let members) = value, !members.isEmpty else { return try equality(value, context) }
        var parts: [Condition] = []
        for (name, value) in members {
            place.append(name)
            parts.append(try member(name, value, context))
            place.removeLast()
        }
        return Condition(parts, isAny: context.isNegated)
    }

    @inline(never)
    private func equality(_ value: JSONValue, _ context: SelectorContext) throws(StorageError) -> Condition {
        try terminal(.compare(.equal, operand(value, .equal, context)), context)
    }

    /// Notes that what follows is in an array, until `leave`. After an error the place stays.
    @inline(never)
    mutating func enter(_ number: Int) { place.append(String(number)) }

    @inline(never)
    mutating func leave() { place.removeLast() }

    @inline(never)
    private mutating func count(_ context: SelectorContext) throws(StorageError) {
        try step()
        conditions += 1
        guard conditions <= MangoSelector.maximumConditions else { throw SelectorFault.tooMany }
        guard context.depth <= MangoSelector.maximumDepth else { throw SelectorFault.tooDeep(at: place) }
    }

    @inline(never)
    private mutating func member(
        _ name: String,
        _ value: JSONValue,
        _ context: SelectorContext
    ) throws(StorageError) -> Condition {
        if name.utf8.first == UInt8(ascii: "$") {
            try count(context)
            let operation = try SelectorCompiler.operation(name)
            switch operation {
            case .and, .or, .nor: return try combination(operation, value, context)
            case .not: return try negation(of: value, context)
            case .elementMatch, .allMatch, .keyMapMatch: return try quantified(operation, value, context)
            default: return try tested(operation, value, context)
            }
        }
        return try condition(value, SelectorCompiler.field(name, context))
    }

    @inline(never)
    private static func operation(_ name: String) throws(StorageError) -> Operator {
        guard let operation = Operator(named: name) else { throw SelectorFault.unknown(name) }
        return operation
    }

    @inline(never)
    private static func field(_ name: String, _ context: SelectorContext) throws(StorageError) -> SelectorContext {
        let field = context.field(name)
        guard field.path.count <= MangoSelector.maximumPathLength else { throw SelectorFault.longPath(field.path) }
        return field
    }

    /// Makes a condition of a test.
    @inline(never)
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
