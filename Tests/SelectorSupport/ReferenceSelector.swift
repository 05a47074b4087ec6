package import SetteeDocumentValues
internal import StorageProtocol

/// A plain evaluator of selectors over parsed values, to compare with. The selector is made explicit, its negations are
/// moved to the fields, and it is then read with each document. It knows no limits and checks nothing.
package struct ReferenceSelector {
    /// An explicit selector.
    private indirect enum Clause {
        case and([Clause])
        case or([Clause])
        case not(Clause)
        case operation(path: String, name: String, argument: JSONValue, inner: Clause?)
    }

    private let clause: Clause

    package init(_ selector: JSONValue) {
        clause =
            ReferenceSelector.isEmpty(selector)
            ? .and([])
            : ReferenceSelector.pushNegations(ReferenceSelector.explicit(selector, path: ""))
    }

    /// - Parameter document: With `_id` and `_rev`.
    package func matches(_ document: JSONValue) throws -> Bool { try holds(clause, document, isRaw: false) }

    private static func isEmpty(_ value: JSONValue) -> Bool { value.objectValue?.isEmpty == true }

    private static func explicit(_ value: JSONValue, path: String) -> Clause {
        guard let members = value.objectValue, !members.isEmpty else {
            return .operation(path: path, name: "$eq", argument: value, inner: nil)
        }
        let clauses = members.map { explicit($0.key, $0.value, path: path) }
        return clauses.count == 1 ? clauses[0] : .and(clauses)
    }

    private static func explicit(_ name: String, _ value: JSONValue, path: String) -> Clause {
        switch name {
        case "$and": return .and((value.arrayValue ?? []).map { explicit($0, path: path) })
        case "$or": return .or((value.arrayValue ?? []).map { explicit($0, path: path) })
        case "$nor": return .and((value.arrayValue ?? []).map { .not(explicit($0, path: path)) })
        case "$not": return .not(explicit(value, path: path))
        case "$elemMatch", "$allMatch", "$keyMapMatch":
            return .operation(path: path, name: name, argument: value, inner: explicit(value, path: ""))
        case _ where name.hasPrefix("$"): return .operation(path: path, name: name, argument: value, inner: nil)
        default: return explicit(value, path: path.isEmpty ? name : path + "." + name)
        }
    }

    /// Moves negations to the operations.
    private static func pushNegations(_ clause: Clause) -> Clause {
        switch clause {
        case .and(let parts): return .and(parts.map(pushNegations))
        case .or(let parts): return .or(parts.map(pushNegations))
        case .operation: return clause
        case .not(.and(let parts)): return .or(parts.map { pushNegations(.not($0)) })
        case .not(.or(let parts)): return .and(parts.map { pushNegations(.not($0)) })
        case .not(.not(let inner)): return pushNegations(inner)
        case .not(.operation(let path, let name, let argument, let inner)):
            let opposites = [
                "$lt": "$gte", "$gte": "$lt", "$gt": "$lte", "$lte": "$gt", "$eq": "$ne", "$ne": "$eq", "$in": "$nin",
                "$nin": "$in",
            ]
            if let opposite = opposites[name] {
                return .operation(path: path, name: opposite, argument: argument, inner: inner)
            }
            if name == "$exists" {
                return .operation(path: path, name: name, argument: .bool(argument != true), inner: nil)
            }
            // Marked, so that the field must exist.
            return .operation(path: path, name: "!" + name, argument: argument, inner: inner)
        }
    }

    private func holds(_ clause: Clause, _ value: JSONValue, isRaw: Bool) throws -> Bool {
        switch clause {
        case .and(let parts): return try parts.allSatisfy { try holds($0, value, isRaw: isRaw) }
        case .or(let parts): return try parts.isEmpty || parts.contains { try holds($0, value, isRaw: isRaw) }
        case .not(let part): return try !holds(part, value, isRaw: isRaw)
        case .operation(let path, let name, let argument, let inner):
            var found = value
            for name in path.isEmpty ? [] : path.split(separator: ".").map(String.init) {
                switch found {
                case .object(let members):
                    guard let next = members[name] else { return self.isAbsence(clause) }
                    found = next
                case .array(let elements):
                    guard let index = Int(name), elements.indices.contains(index) else { return false }
                    found = elements[index]
                default: return false
                }
            }
            let isRaw = isRaw || path == "_id"
            if name.hasPrefix("!") {
                return try !passes(String(name.dropFirst()), argument, inner, found, isRaw)
            }
            return try passes(name, argument, inner, found, isRaw)
        }
    }

    private func isAbsence(_ clause: Clause) -> Bool {
        if case .operation(_, "$exists", false, _) = clause { return true }
        return false
    }

    private func passes(
        _ name: String,
        _ argument: JSONValue,
        _ inner: Clause?,
        _ value: JSONValue,
        _ isRaw: Bool
    ) throws -> Bool {
        func order(_ a: JSONValue, _ b: JSONValue) throws -> Int {
            var keys: [[UInt8]] = [[], []]
            let collator: Collator = isRaw ? .raw : .unicode
            for (index, value) in [a, b].enumerated() {
                var value = value
                // A value whose key is too long is ordered by its beginning.
                if case .array(let elements) = value, elements.count > 100 { value = .array(Array(elements.prefix(8))) }
                let text = try value.canonicalBytes()
                try unsafe collator.encode(text.span.bytes, into: &keys[index])
            }
            return compareBytes(keys[0], keys[1])
        }
        func isIn() throws -> Bool {
            let candidates = value.arrayValue ?? [value]
            return try (argument.arrayValue ?? []).contains { wanted in
                try candidates.contains { try order($0, wanted) == 0 }
            }
        }
        switch name {
        case "$lt": return try order(value, argument) < 0
        case "$lte": return try order(value, argument) <= 0
        case "$eq": return try order(value, argument) == 0
        case "$ne": return try order(value, argument) != 0
        case "$gte": return try order(value, argument) >= 0
        case "$gt": return try order(value, argument) > 0
        case "$in": return try isIn()
        case "$nin": return try !isIn()
        case "$exists": return argument == true
        case "$type": return argument == .string(type(of: value))
        case "$size": return value.arrayValue.map { JSONValue($0.count) == argument } ?? false
        case "$mod":
            guard let divisor = argument[0]?.intValue else { return false }
            switch value {
            case .int(let number): return .int(number % divisor) == argument[1]
            case .uint(let number): return .uint(number % divisor.magnitude) == argument[1]
            case .longInteger(let number):
                let digits = number.description.utf8.compactMap { (0x30...0x39).contains($0) ? Int64($0 - 0x30) : nil }
                let rest = digits.reduce(0) { ($0 * 10 + $1) % abs(divisor) }
                return .int(number.description.hasPrefix("-") ? -rest : rest) == argument[1]
            default: return false
            }
        case "$all":
            guard let values = value.arrayValue, let wanted = argument.arrayValue, !wanted.isEmpty else { return false }
            if wanted.count == 1, wanted[0] == value { return true }
            return wanted.allSatisfy { values.contains($0) }
        case "$beginsWith":
            guard let text = value.stringValue, let prefix = argument.stringValue else { return false }
            return text.utf8.starts(with: prefix.utf8)
        case "$regex":
            // The random selectors only have `^` and letters.
            guard let text = value.stringValue, let pattern = argument.stringValue else { return false }
            let scalars = Array(text.unicodeScalars)
            let wanted = Array(pattern.unicodeScalars)
            if pattern.hasPrefix("^") { return scalars.starts(with: wanted.dropFirst()) }
            return scalars.indices.contains { scalars[$0...].starts(with: wanted) }
        default: return try ofParts(name, inner, value, isRaw)
        }
    }

    /// The operators with a condition on elements or names.
    private func ofParts(_ name: String, _ inner: Clause?, _ value: JSONValue, _ isRaw: Bool) throws -> Bool {
        guard let inner else { return false }
        switch name {
        case "$keyMapMatch":
            return try (value.objectValue?.keys ?? []).contains { try holds(inner, .string($0), isRaw: isRaw) }
        case "$elemMatch": return try (value.arrayValue ?? []).contains { try holds(inner, $0, isRaw: isRaw) }
        default:
            guard let elements = value.arrayValue, !elements.isEmpty else { return false }
            return try elements.allSatisfy { try holds(inner, $0, isRaw: isRaw) }
        }
    }

    private func type(of value: JSONValue) -> String {
        switch value {
        case .null: "null"
        case .bool: "boolean"
        case .int, .uint, .longInteger, .double: "number"
        case .string: "string"
        case .array: "array"
        case .object: "object"
        }
    }
}
