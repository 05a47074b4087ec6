package import SetteeDocumentValues
package import StorageConformance

/// Makes random selectors and documents.
///
/// Names and values are few, so that they often meet.
package struct SelectorMaker {
    package var generator: SeededGenerator

    package init(generator: SeededGenerator) { self.generator = generator }

    package mutating func pick<T>(_ values: [T]) -> T { values[generator.below(values.count)] }

    package mutating func name() -> String {
        generator.chance(1, in: 20)
            ? pick(["\u{E9}", "e\u{301}", "x\n\"y", "-0", "00"])
            : pick(["a", "b", "c", "0", "1", "_id"])
    }

    package mutating func string() -> String {
        generator.chance(1, in: 8)
            ? pick(["1e400", "-0", "\u{0}", "\u{1F600}", "\u{FFFF}", "ß", "ss", "\\u0061", "0"])
            : pick(["", "a", "b", "ab", "A", "é", "e\u{301}", "x\n\"y", "doc1", "\u{7F}a"])
    }

    /// Some are next to what a double, an `Int64` and a `UInt64` hold.
    package mutating func number() -> JSONValue {
        guard generator.chance(1, in: 4) else {
            return pick([0, 1, 2, -1, 7, 1.5, -0.25, 1e300, .uint(.max), .int(9_007_199_254_740_993), 12])
        }
        let long = pick(["18446744073709551616", "-9223372036854775809", "100000000000000000000"])
        return pick([
            .double(-0.0), .int(9_007_199_254_740_991), .int(9_007_199_254_740_992), .double(9_007_199_254_740_992),
            .int(-9_007_199_254_740_993), .int(.max), .int(.min), .double(.leastNonzeroMagnitude),
            .double(-1.7976931348623157e308),
            JSONLongInteger(long).map { .longInteger($0) } ?? .null,
        ])
    }

    /// Arrays in arrays.
    private mutating func deepArray() -> JSONValue {
        var value: JSONValue = pick([[], 1, "a", nil])
        for _ in 0..<pick([2, 10, 60]) { value = generator.chance(1, in: 8) ? [value, 0] : [value] }
        return value
    }

    package mutating func value(_ depth: Int) -> JSONValue {
        if generator.chance(1, in: 60) { return deepArray() }
        switch generator.below(depth > 0 ? 10 : 6) {
        case 0: return .null
        case 1: return .bool(generator.chance(1, in: 2))
        case 2, 3: return number()
        case 4, 5: return .string(string())
        case 6, 7: return .array(values(depth))
        default: return object(depth)
        }
    }

    package mutating func values(_ depth: Int) -> [JSONValue] {
        var values: [JSONValue] = []
        for _ in 0..<generator.below(4) { values.append(value(depth - 1)) }
        return values
    }

    package mutating func object(_ depth: Int) -> JSONValue {
        var object = JSONObject()
        for _ in 0..<generator.below(4) { object[name()] = value(depth - 1) }
        return .object(object)
    }

    package mutating func document() -> JSONObject {
        var document = object(3).objectValue ?? JSONObject()
        document.remove("_id")
        return document
    }

    package mutating func path() -> String {
        var path = name()
        while generator.chance(1, in: 4) { path += "." + name() }
        return path
    }

    /// A selector whose conditions are on fields.
    package mutating func selector(_ depth: Int) -> JSONValue {
        guard depth > 0, generator.chance(1, in: 2) else {
            var object = JSONObject()
            for _ in 0...generator.below(2) { object[path()] = condition(depth - 1) }
            return .object(object)
        }
        return combination(depth) { $0.selector(depth - 1) }
    }

    package mutating func combination(_ depth: Int, _ part: (inout SelectorMaker) -> JSONValue) -> JSONValue {
        let name = pick(["$and", "$or", "$nor", "$not"])
        if name == "$not" { return [name: part(&self)] }
        var parts: [JSONValue] = []
        for _ in 0..<generator.below(4) { parts.append(part(&self)) }
        return [name: .array(parts)]
    }

    /// What a field, an element or a name may be asked: never empty, and an object where `$not` needs one.
    package mutating func condition(_ depth: Int) -> JSONValue {
        if depth > 0, generator.chance(1, in: 3) {
            switch generator.below(3) {
            case 0: return combination(depth) { $0.condition(depth - 1) }
            case 1: return [pick(["$elemMatch", "$allMatch", "$keyMapMatch"]): condition(depth - 1)]
            default: return [path(): condition(depth - 1)]
            }
        }
        var object = JSONObject()
        for _ in 0...generator.below(2) {
            let (name, argument) = operation()
            object[name] = argument
        }
        return .object(object)
    }

    package mutating func operation() -> (String, JSONValue) {
        switch generator.below(12) {
        case 0: return ("$exists", .bool(generator.chance(1, in: 2)))
        case 1: return ("$type", .string(pick(["null", "boolean", "number", "string", "array", "object"])))
        case 2: return (pick(["$in", "$nin"]), .array(values(2) + values(2) + values(1) + values(1)))
        case 3: return ("$all", .array(values(2)))
        case 4: return ("$size", JSONValue(generator.below(4)))
        case 5: return ("$mod", [pick([2, 3, -2]), pick([0, 1, -1])])
        case 6: return ("$regex", .string(pick(["a", "^a", "b", "^doc", "^", "^ab", "^é"])))
        case 7: return ("$beginsWith", .string(pick(["", "a", "x", "doc", "é"])))
        default: return (pick(["$lt", "$lte", "$eq", "$ne", "$gte", "$gt"]), value(2))
        }
    }
}
