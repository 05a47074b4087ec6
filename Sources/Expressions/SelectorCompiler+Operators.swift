internal import SetteeDocumentValues
internal import StorageProtocol

extension SelectorCompiler {
    /// Compiles an operator and its argument.
    mutating func condition(
        _ operation: Operator,
        _ argument: JSONValue,
        _ context: SelectorContext
    ) throws(StorageError) -> Condition {
        switch operation {
        case .and, .or, .nor: return try combination(operation, argument, context)
        case .not:
            guard case .object = argument else { throw SelectorFault.badArgument(.not, "a selector is expected") }
            return try negation(of: argument, context)
        case .text, .default:
            throw SelectorFault.unsupported(operation, "There are no text indexes. Use $regex or $beginsWith.")
        case .where, .geoWithin, .geoIntersects, .near, .nearSphere:
            throw SelectorFault.unsupported(operation, "CouchDB does not have it either. Leave it out.")
        default: return try terminal(test(operation, argument, context), context)
        }
    }

    private mutating func negation(
        of argument: JSONValue,
        _ context: SelectorContext
    ) throws(StorageError) -> Condition {
        if context.isInner { return .not(try condition(argument, context.argument(isNegated: false))) }
        return try condition(argument, context.argument(isNegated: !context.isNegated))
    }

    private mutating func combination(
        _ operation: Operator,
        _ argument: JSONValue,
        _ context: SelectorContext
    ) throws(StorageError) -> Condition {
        guard case .array(let arguments) = argument else {
            throw SelectorFault.badArgument(operation, "an array of selectors is expected")
        }
        var parts: [Condition] = []
        for (index, argument) in arguments.enumerated() {
            parts.append(
                try part(at: String(index)) { (compiler) throws(StorageError) in
                    if operation == .nor { return try compiler.negation(of: argument, context) }
                    return try compiler.condition(argument, context.argument(isNegated: context.isNegated))
                }
            )
        }
        // De Morgan: a negated `$and` and a negated `$nor` ask for one of their parts.
        return (operation == .or) != context.isNegated ? .any(parts) : .all(parts)
    }

    private mutating func test(
        _ operation: Operator,
        _ argument: JSONValue,
        _ context: SelectorContext
    ) throws(StorageError) -> ValueTest {
        switch operation {
        case .less: return .compare(.less, try operand(argument, operation, context))
        case .lessOrEqual: return .compare(.atMost, try operand(argument, operation, context))
        case .unequal: return .compare(.unequal, try operand(argument, operation, context))
        case .greaterOrEqual: return .compare(.atLeast, try operand(argument, operation, context))
        case .greater: return .compare(.greater, try operand(argument, operation, context))
        case .elementMatch: return .someElement(try inner(operation, argument, context))
        case .allMatch: return .everyElement(try inner(operation, argument, context))
        case .keyMapMatch: return .someName(try inner(operation, argument, context))
        case .isIn: return .isIn(try set(operation, argument, context))
        case .isNotIn: return .isNotIn(try set(operation, argument, context))
        case .exists, .type, .size, .modulus, .all: return try valueTest(operation, argument)
        case .regex, .beginsWith: return try stringTest(operation, argument)
        default: return .compare(.equal, try operand(argument, operation, context))
        }
    }

    private func valueTest(_ operation: Operator, _ argument: JSONValue) throws(StorageError) -> ValueTest {
        switch (operation, argument) {
        case (.exists, .bool(let wanted)): return .exists(wanted)
        case (.exists, _): throw SelectorFault.badArgument(operation, "true or false is expected")
        case (.type, .string(let name)): return .type(ValueKind.named(name))
        case (.type, _): throw SelectorFault.badArgument(operation, "the name of a type is expected")
        case (.size, let count):
            guard let count = whole(count), !count.isNegative else {
                throw SelectorFault.badArgument(operation, "a whole number from 0 is expected")
            }
            return .size(count.magnitude)
        case (.modulus, .array(let parts)):
            guard parts.count == 2, let divisor = whole(parts[0]), let remainder = whole(parts[1]),
                let modulus = Modulus(divisor: divisor, remainder: remainder)
            else { fallthrough }
            return .modulus(modulus)
        case (.modulus, _):
            throw SelectorFault.badArgument(operation, "an array of two integers is expected, the first not 0")
        case (_, .array(let values)):
            do throws(StorageError) {
                return .containsAll(try ContainedValues(values))
            } catch {
                throw SelectorFault.badArgument(operation, "it has no JSON text", cause: error)
            }
        default: throw SelectorFault.badArgument(operation, "an array of values is expected")
        }
    }

    private mutating func stringTest(_ operation: Operator, _ argument: JSONValue) throws(StorageError) -> ValueTest {
        guard case .string(let text) = argument else {
            throw SelectorFault.badArgument(operation, "a string is expected")
        }
        return operation == .regex ? .pattern(try pattern(text)) : .begins(TextPrefix(text))
    }

    private mutating func inner(
        _ operation: Operator,
        _ argument: JSONValue,
        _ context: SelectorContext
    ) throws(StorageError) -> Matcher {
        guard case .object = argument else { throw SelectorFault.badArgument(operation, "a selector is expected") }
        return Matcher(try condition(argument, context.inner))
    }

    private func set(
        _ operation: Operator,
        _ argument: JSONValue,
        _ context: SelectorContext
    ) throws(StorageError) -> OperandSet {
        guard case .array(let values) = argument else {
            throw SelectorFault.badArgument(operation, "an array of values is expected")
        }
        var operands: [Operand] = []
        for value in values { operands.append(try operand(value, operation, context)) }
        return OperandSet(operands, context.meaning)
    }

    /// The number, if its canonical text has neither a fraction nor an exponent, as that of 2.0.
    private func whole(_ value: JSONValue) -> WholeNumber? {
        guard let text = try? value.canonicalBytes() else { return nil }
        return unsafe WholeNumber(text.span.bytes)
    }
}
