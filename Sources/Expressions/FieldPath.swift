package import SetteeDocumentValues
internal import StorageProtocol

/// The path to a field, as in `address.city` or `tags.0`, and how to find it in canonical text.
package struct FieldPath: Hashable, Sendable {
    /// Members of a document that are not part of its stored body.
    enum Special: String, CaseIterable {
        case id = "_id"
        case revision = "_rev"
        case deleted = "_deleted"
    }

    /// The names' bytes.
    let names: [[UInt8]]
    /// Where it leads in a text.
    package let pointer: JSONPointer
    /// What the first name stands for, if the path begins at a document.
    let special: Special?
    /// The number of names.
    var count: Int { names.count }

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
        // A name that is a number is an index, too, however it is written.
        pointer = JSONPointer(
            steps: names.map { name in
                let name = String(decoding: name, as: UTF8.self)
                return (name, Int(name).flatMap { $0 >= 0 ? $0 : nil })
            }
        )
        special = fromDocument ? Special.allCases.first { $0.rawValue.utf8.elementsEqual(names[0]) } : nil
    }

    package static func == (a: FieldPath, b: FieldPath) -> Bool { a.names == b.names }

    package func hash(into hasher: inout Hasher) { hasher.combine(names) }

    /// Returns the bytes of the field's value, or nil if it does not exist.
    func range(in text: RawSpan) -> Range<Int>? { JSONScanner.range(of: pointer, in: text) }

    /// Whether the field does not exist and could: the path ends at an object that has no such member, not at an array
    /// or at a value that has no members. CouchDB's `"$exists": false` makes this difference.
    func isAbsent(in text: RawSpan) -> Bool { JSONScanner.isAbsent(pointer, in: text) }
}
