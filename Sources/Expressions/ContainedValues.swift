internal import SetteeDocumentValues
internal import StorageProtocol

/// `$all`: values that an array contains, compared by their canonical texts and not in the order of views.
struct ContainedValues: Sendable, Hashable {
    private let texts: Set<[UInt8]>
    /// The only value if it is an array: then it may be the whole value, too.
    private let array: [UInt8]?

    /// - Throws: `badJSON` (493) for a number that is not finite, or too much nesting.
    init(_ values: [JSONValue]) throws(StorageError) {
        var texts: Set<[UInt8]> = []
        for value in values { texts.insert(try value.canonicalBytes()) }
        self.texts = texts
        array = if values.count == 1, case .array = values[0] { try values[0].canonicalBytes() } else { nil }
    }

    var isEmpty: Bool { texts.isEmpty }

    /// Whether the empty array passes.
    var includesEmptyArray: Bool { array == Array("[]".utf8) }

    /// Whether the value is an array that contains all of these. None contains all of nothing, as in CouchDB.
    ///
    /// - Complexity: O(the value's length).
    func areAll(in value: RawSpan, _ workspace: inout Workspace) throws(StorageError) -> Bool {
        guard ValueKind(value) == .array, !texts.isEmpty else { return false }
        if let array, unsafe compareBytes(value, array.span.bytes) == 0 { return true }
        var missing = texts
        var cursor = ContainerCursor()
        while !missing.isEmpty, let element = try cursor.element(in: value, &workspace) {
            // An array and a hash for each element.
            try workspace.count(Workspace.step, times: 8)
            missing.remove(unsafe value.extracting(element).withUnsafeBytes { unsafe Array($0) })
        }
        return missing.isEmpty
    }
}
