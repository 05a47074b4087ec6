/// Access to values inside values.
///
/// Setting creates what is missing on the way: objects for names and arrays for numbers. JSON's null counts as missing.
///
/// ```swift
/// var body: JSONObject = ["tags": ["novel"]]
/// body["tags"][0] = "fantasy"
/// body["tags"][1] = "1981"                       // the index behind the last element adds one
/// body["address"]["city"] = "Edgewood"           // {"address":{"city":"Edgewood"},"tags":["fantasy","1981"]}
/// ```
///
/// An impossible assignment, such as a member of a number or an element beyond the end, replaces that number or array
/// by a value that has no JSON text. Saving the document then fails with `badJSON` (493), which says what happened.
/// `set(_:at:)` throws at once and changes nothing in that case.
extension JSONValue {
    /// A member of an object. Nil if there is none with this name, or this is not an object. Setting nil removes the
    /// member, if there is one.
    ///
    /// - Complexity: O(log *n*) comparisons; setting a new member is O(*n*).
    public subscript(name: String) -> JSONValue? {
        get {
            if case .object(let members) = self { members[name] } else { nil }
        }
        _modify {
            guard case .object(var members) = self else {
                var value: JSONValue?
                defer {
                    if let value { self = isNull ? .object([name: value]) : JSONMisplacement.memberOfNoObject.value }
                }
                yield &value
                return
            }
            // Leaves the members with a single owner, so that they change in place.
            self = .null
            defer { self = .object(members) }
            yield &members[name]
        }
    }

    /// An element of an array, nil if the index is out of bounds or this is not an array. Setting the index after the
    /// last element appends one. Setting nil removes the element, if there is one, and those after it move up.
    ///
    /// - Complexity: O(1); removing is O(*n*).
    public subscript(index: Int) -> JSONValue? {
        get {
            if case .array(let elements) = self, elements.indices.contains(index) { elements[index] } else { nil }
        }
        _modify {
            guard case .array(var elements) = self else {
                var value: JSONValue?
                defer { if let value { self = JSONValue.array(with: value, at: index, inPlaceOf: self) } }
                yield &value
                return
            }
            // Leaves the elements with a single owner, so that they change in place.
            self = .null
            var value: JSONValue?
            let isPresent = elements.indices.contains(index)
            if isPresent {
                value = elements[index]
                elements[index] = .null
            }
            defer {
                switch (value, isPresent) {
                case (let value?, true): elements[index] = value
                case (nil, true): elements.remove(at: index)
                case (let value?, false): if index == elements.count { elements.append(value) }
                case (nil, false): break
                }
                let isMisplaced = value != nil && !elements.indices.contains(index)
                self = isMisplaced ? JSONMisplacement.elementOutOfBounds.value : .array(elements)
            }
            yield &value
        }
    }

    private static func array(with value: JSONValue, at index: Int, inPlaceOf present: JSONValue) -> JSONValue {
        guard present.isNull else { return JSONMisplacement.elementOfNoArray.value }
        return index == 0 ? .array([value]) : JSONMisplacement.elementOutOfBounds.value
    }
}

/// The subscripts of `JSONValue` for a value that may be missing.
extension Optional where Wrapped == JSONValue {
    public subscript(name: String) -> JSONValue? {
        get { if let value = self { value[name] } else { nil } }
        _modify {
            var value = self ?? .null
            let wasMissing = self == nil
            self = nil
            defer { if !wasMissing || !value.isNull { self = value } }
            yield &value[name]
        }
    }

    public subscript(index: Int) -> JSONValue? {
        get { if let value = self { value[index] } else { nil } }
        _modify {
            var value = self ?? .null
            let wasMissing = self == nil
            self = nil
            defer { if !wasMissing || !value.isNull { self = value } }
            yield &value[index]
        }
    }
}

extension JSONValue: JSONMembers, JSONElements {}
extension Optional: JSONMembers, JSONElements where Wrapped == JSONValue {}
