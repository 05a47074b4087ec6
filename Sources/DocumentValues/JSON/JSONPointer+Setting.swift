public import StorageProtocol

extension JSONValue {
    /// The value at a path inside this one, nil if there is none. Setting works as with names and indexes: missing
    /// objects are created, `-` stands for the index after an array's last element (and for a new array if there is
    /// none), and nil removes the value.
    public subscript(pointer: JSONPointer) -> JSONValue? {
        get {
            var value = self
            for token in pointer.tokens {
                switch value {
                case .object(let members):
                    guard let member = members[token.name] else { return nil }
                    value = member
                case .array(let elements):
                    guard let index = token.index, index < elements.count else { return nil }
                    value = elements[index]
                default: return nil
                }
            }
            return value
        }
        set {
            guard pointer.tokens.count <= JSONLimits.depth else {
                if newValue != nil { self = JSONMisplacement.tooDeep.value }
                return
            }
            var value: JSONValue? = self
            // Leaves a single owner, so that it changes in place.
            self = .null
            JSONPointer.put(newValue, at: pointer.tokens[...], in: &value)
            self = value ?? .null
        }
    }

    /// Sets the value at a path inside this one, like the subscript, but throws if that is impossible. Nothing has
    /// changed then.
    ///
    /// - Parameter value: Nil removes the value, if there is one.
    /// - Throws: `badParameter` (495) if a value on the way is neither an object nor an array (a member of a number), a
    ///   token is not an index of an array or is beyond its end, or the pointer has more than 512 tokens.
    public mutating func set(_ value: (any JSONConvertible)?, at pointer: JSONPointer) throws(StorageError) {
        if let value { try pointer.checkPlace(in: self, for: value.jsonValue) }
        self[pointer] = value.map { $0.jsonValue }
    }
}

extension JSONObject {
    /// The value at a path inside the object, nil if there is none.
    public subscript(pointer: JSONPointer) -> JSONValue? { JSONValue.object(self)[pointer] }

    /// See `JSONValue.set(_:at:)`.
    ///
    /// - Throws: `badParameter` (495), also if the pointer is empty: assign the object itself instead.
    public mutating func set(_ value: (any JSONConvertible)?, at pointer: JSONPointer) throws(StorageError) {
        guard let first = pointer.tokens.first else {
            throw StorageError(.badParameter, "The empty pointer is the whole object. Assign the object itself.")
        }
        if let value { try pointer.checkPlace(in: .object(self), for: value.jsonValue) }
        guard pointer.tokens.count <= JSONLimits.depth else { return }
        JSONPointer.put(value.map { $0.jsonValue }, at: pointer.tokens.dropFirst(), in: &self[first.name])
    }
}

extension JSONPointer {
    /// Checks whether a value can be set at this path.
    fileprivate func checkPlace(in value: JSONValue, for new: JSONValue) throws(StorageError) {
        guard tokens.count <= JSONLimits.depth else {
            throw StorageError(
                .badParameter,
                "The JSON pointer has more than \(JSONLimits.depth) tokens. Use a shorter one."
            )
        }
        var present = value
        for (position, token) in tokens.enumerated() {
            switch present {
            case .null:
                return
            case .object(let members):
                present = members[token.name] ?? .null
            case .array(let elements):
                let index = token.name == "-" ? elements.count : token.index
                guard let index, index <= elements.count else {
                    throw misplaced(position, "is no index of the array there, which has \(elements.count) elements")
                }
                present = index < elements.count ? elements[index] : .null
            default:
                throw misplaced(position, "cannot be set: what is there is neither an object nor an array")
            }
        }
    }

    private func misplaced(_ position: Int, _ reason: String) -> StorageError {
        let place = JSONPointer(names: tokens[...position].map(\.name))
        return StorageError(.badParameter, "'\(place)' \(reason). Set a value that can hold it first.")
    }

    fileprivate static func put(_ value: JSONValue?, at tokens: ArraySlice<Token>, in target: inout JSONValue?) {
        guard let token = tokens.first else {
            target = value
            return
        }
        let rest = tokens.dropFirst()
        if let count = target?.arrayValue?.count {
            put(value, at: rest, in: &target[token.name == "-" ? count : token.index ?? -1])
        } else if token.name == "-", target?.isNull ?? true {
            put(value, at: rest, in: &target[0])
        } else {
            put(value, at: rest, in: &target[token.name])
        }
    }
}
