internal import SetteeDocumentValues
internal import StorageProtocol

/// The path to a field, as in `address.city` or `tags.0`, and how to find it in canonical text.
package struct FieldPath: Hashable, Sendable {
    /// Members of a document that are not part of its stored body.
    enum Special: String, CaseIterable {
        case id = "_id"
        case revision = "_rev"
        case deleted = "_deleted"
    }

    /// One step: the name of a member, which may also be the index of an element.
    private struct Step {
        let member: JSONPointer
        let element: JSONPointer?
    }

    /// The names' bytes.
    let names: [[UInt8]]
    private let steps: [Step]
    /// The path as one pointer, unless a name is an index that is not written as pointers write it.
    private let whole: JSONPointer?
    /// What the first name stands for, if the path begins at a document.
    let special: Special?
    /// The number of names.
    var count: Int { steps.count }
    /// How often a part of the text may be read to find the field.
    var passes: Int { whole == nil ? steps.count : 1 }

    /// Parses a path as CouchDB does: names are separated by points that do not follow a backslash, and all backslashes
    /// are then removed.
    ///
    /// - Throws: `badRequest` (400) if a name is empty.
    init(_ path: [UInt8], fromDocument: Bool) throws(StorageError) {
        var names: [[UInt8]] = [[]]
        var previous: UInt8 = 0
        var length = 0
        for byte in path {
            if byte == UInt8(ascii: "."), previous != UInt8(ascii: "\\") {
                guard length > 0 else { throw SelectorFault.emptyName(in: path) }
                names.append([])
                length = 0
            } else {
                if byte != UInt8(ascii: "\\") { names[names.count - 1].append(byte) }
                length += 1
            }
            previous = byte
        }
        guard length > 0 else { throw SelectorFault.emptyName(in: path) }
        self.names = names
        let texts = names.map { String(decoding: $0, as: UTF8.self) }
        steps = texts.map { name in
            let index = Int(name).flatMap { $0 >= 0 ? JSONPointer(names: [String($0)]) : nil }
            return Step(member: JSONPointer(names: [name]), element: index)
        }
        let areUsual = texts.allSatisfy { name in Int(name).map { String($0) == name } ?? true }
        whole = areUsual ? JSONPointer(names: texts) : nil
        special = fromDocument ? Special.allCases.first { $0.rawValue.utf8.elementsEqual(names[0]) } : nil
    }

    package static func == (a: FieldPath, b: FieldPath) -> Bool { a.names == b.names }

    package func hash(into hasher: inout Hasher) { hasher.combine(names) }

    /// Returns the bytes of the field's value, or nil if it does not exist.
    func range(in text: RawSpan) -> Range<Int>? {
        if let whole { return JSONScanner.range(of: whole, in: text) }
        return walk(text).range
    }

    /// Whether the field does not exist and could: the path ends at an object that has no such member, not at an array
    /// or at a value that has no members. CouchDB's `"$exists": false` makes this difference.
    func isAbsent(in text: RawSpan) -> Bool { walk(text).isAbsent }

    private func walk(_ text: RawSpan) -> (range: Range<Int>?, isAbsent: Bool) {
        var range = 0..<text.byteCount
        for step in steps {
            let value = text.extracting(range)
            let kind = ValueKind(value)
            let pointer = kind == .object ? step.member : kind == .array ? step.element : nil
            guard let pointer, let found = JSONScanner.range(of: pointer, in: value) else {
                return (nil, kind == .object)
            }
            range = range.lowerBound + found.lowerBound..<range.lowerBound + found.upperBound
        }
        return (range, false)
    }
}
