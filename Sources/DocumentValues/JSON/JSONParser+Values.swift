extension JSONParser {
    /// Returns the value at a node as a `JSONValue`. For the top value of a text, use `value(of: parser.root)`.
    ///
    /// Works without recursion, so that nesting uses no stack.
    public func value(of node: JSONNode) -> JSONValue { build(node) { $0 } }

    /// Does the same, and replaces each object by what `change` returns for it, the inner ones first.
    package func value<E: Error>(
        of node: JSONNode,
        replacing change: (JSONObject) throws(E) -> JSONValue
    ) throws(E) -> JSONValue {
        try build(node) { (value) throws(E) in
            if case .object(let object) = value { try change(object) } else { value }
        }
    }

    @inline(__always)
    private func build<E: Error>(
        _ node: JSONNode,
        _ change: (JSONValue) throws(E) -> JSONValue
    ) throws(E) -> JSONValue {
        precondition(node.generation == generation && Int(node.index) < tapeLength, "a node of another text")
        var builders: [Builder] = []
        var index = Int(node.index)
        while true {
            let word = tape.view.word(index)
            var finished: JSONValue
            if JSONTape.isContainer(word) {
                builders.append(Builder(index, word, self))
                if let first = builders[builders.count - 1].step(self) {
                    index = first
                    continue
                }
                finished = try change(builders.removeLast().value)
            } else {
                finished = scalar(word)
            }
            while true {
                guard !builders.isEmpty else { return finished }
                let top = builders.count - 1
                builders[top].take(finished)
                if let next = builders[top].step(self) {
                    index = next
                    break
                }
                finished = try change(builders.removeLast().value)
            }
        }
    }

    private func scalar(_ word: UInt64) -> JSONValue {
        switch JSONTape.kind(word) {
        case .null, .array, .object: return .null
        case .false: return .bool(false)
        case .true: return .bool(true)
        case .string: return .string(string(word))
        case .double: return .double(JSONNumber.double(text.view, JSONTape.range(word)))
        case .longInteger: return .longInteger(JSONLongInteger(checked: text.view.string(JSONTape.range(word))))
        case .int, .uint:
            let (magnitude, negative) = JSONNumber.integer(text.view, JSONTape.range(word))
            if negative { return .int(Int64(truncatingIfNeeded: 0 &- magnitude)) }
            return Int64(exactly: magnitude).map { .int($0) } ?? .uint(magnitude)
        }
    }

    /// A container that is being filled.
    private struct Builder {
        private let isObject: Bool
        /// The positions of the members' names in canonical order, if that is not the order of the tape.
        private var order: [Int] = []
        private var taken = 0
        private var position: Int
        private let end: Int
        private var name: String = ""
        private var elements: [JSONValue] = []
        private var members: [JSONObject.Element] = []

        init(_ index: Int, _ word: UInt64, _ parser: borrowing JSONParser) {
            let extent = parser.tape.view.word(index + 1)
            isObject = JSONTape.kind(word) == .object
            position = index + 2
            end = JSONTape.next(extent)
            if !isObject {
                elements.reserveCapacity(JSONTape.count(extent))
            } else {
                members.reserveCapacity(JSONTape.count(extent))
                if JSONTape.isSpecial(word) { order = parser.canonicalNames(of: index) }
            }
        }

        /// Returns the position of the next value, or nil at the end.
        mutating func step(_ parser: borrowing JSONParser) -> Int? {
            if !order.isEmpty {
                if taken == order.count { return nil }
                position = order[taken]
                taken += 1
            } else if position >= end {
                return nil
            }
            if isObject {
                name = parser.string(parser.tape.view.word(position))
                position += JSONTape.nameSize
            }
            let value = position
            position = parser.next(after: value)
            return value
        }

        mutating func take(_ value: JSONValue) {
            if isObject { members.append((name, value)) } else { elements.append(value) }
        }

        var value: JSONValue { isObject ? .object(JSONObject(ordered: members)) : .array(elements) }
    }
}
