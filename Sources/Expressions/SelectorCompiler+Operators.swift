internal import SetteeDocumentValues
internal import StorageProtocol

extension SelectorCompiler {
    @inline(never)
    mutating func negation(of argument: JSONValue, _ context: SelectorContext) throws(StorageError) -> Condition {
        try SelectorCompiler.requireSelector(argument, .not)
        return try inverse(of: argument, context)
    }

    private mutating func inverse(
        of argument: JSONValue,
        _ context: SelectorContext
    ) throws(StorageError) -> Condition {
        if context.isInner { return .not(try condition(argument, context.argument(isNegated: false))) }
        return try condition(argument, context.argument(isNegated: !context.isNegated))
    }

    @inline(never)
    mutating func combination(
        _ operation: Operator,
        _ argument: JSONValue,
        _ context: SelectorContext
    ) throws(StorageError) -> Condition {
        let arguments = try SelectorCompiler.arguments(argument, of: operation)
        var parts: [Condition] = []
        for number in arguments.indices {
            enter(number)
            if operation == .nor {
                parts.append(try inverse(of: arguments[number], context))
            } else {
                parts.append(try condition(arguments[number], context.argument(isNegated: context.isNegated)))
            }
            leave()
        }
        // De Morgan: a negated `$and` and a negated `$nor` ask for one of their parts.
        return Condition(parts, isAny: (operation == .or) != context.isNegated)
    }

    @inline(never)
    private static func arguments(_ argument: JSONValue, of operation: Operator) throws(StorageError) -> [JSONValue] {
        guard case .array(let arguments) = argument else {
            throw SelectorFault.badArgument(operation, "an array of selectors is expected")
        }
        return arguments
    }

    @inline(never)
    private static func requireSelector(_ argument: JSONValue, _ operation: Operator) throws(StorageError) {
        guard case .object = argument else { throw SelectorFault.badArgument(operation, "a selector is expected") }
    }

    /// Compiles an operator that has a selector for the parts of a value.
    @inline(never)
    mutating func quantified(
        _ operation: Operator,
        _ argument: JSONValue,
        _ context: SelectorContext
    ) throws(StorageError) -> Condition {
        try SelectorCompiler.requireSelector(argument, operation)
        return try quantified(operation, Matcher(condition(argument, context.inner)), context)
    }

    @inline(never)
    private func quantified(
        _ operation: Operator,
        _ matcher: Matcher,
        _ context: SelectorContext
    ) throws(StorageError) -> Condition {
        switch operation {
        case .elementMatch: try terminal(.someElement(matcher), context)
        case .allMatch: try terminal(.everyElement(matcher), context)
        default: try terminal(.someName(matcher), context)
        }
    }

    @inline(never)
    mutating func tested(
        _ operation: Operator,
        _ argument: JSONValue,
        _ context: SelectorContext
    ) throws(StorageError) -> Condition {
        switch operation {
        case .text, .default:
            throw SelectorFault.unsupported(operation, "There are no text indexes. Use $regex or $beginsWith.")
        case .where, .geoWithin, .geoIntersects, .near, .nearSphere:
            throw SelectorFault.unsupported(operation, "CouchDB does not have it either. Leave it out.")
        default: return try terminal(test(operation, argument, context), context)
        }
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

    private mutating func set(
        _ operation: Operator,
        _ argument: JSONValue,
        _ context: SelectorContext
    ) throws(StorageError) -> OperandSet {
        guard case .array(let values) = argument else {
            throw SelectorFault.badArgument(operation, "an array of values is expected")
        }
        var operands: [Operand] = []
        for value in values {
            try step()
            operands.append(try operand(value, operation, context))
        }
        return OperandSet(operands, context.meaning)
    }

    /// The number, if its canonical text has neither a fraction nor an exponent, as that of 2.0.
    private func whole(_ value: JSONValue) -> WholeNumber? {
        guard let text = try? value.canonicalBytes() else { return nil }
        return unsafe WholeNumber(text.span.bytes)
    }
}
