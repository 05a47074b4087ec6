public import SetteeDocumentValues
internal import SetteeEngine
public import StorageProtocol

/// A criterion to sort rows by: a place in their keys, values or documents, ascending or descending.
///
/// ```swift
/// let books = try query.run().sorted(by: [.descending(.value, "/year"), .ascending(.key)])
/// ```
public struct RowOrder: Sendable, Hashable {
    /// The part of a row that is compared.
    public enum Part: Sendable, Hashable {
        case key
        case value
        /// The document's properties. Requires `includeDocs`.
        case document
        /// The ID of the document, by its bytes.
        case documentID
    }

    let part: Part
    let place: JSONPointer
    let isDescending: Bool

    /// Sorts from the smallest to the largest.
    ///
    /// - Parameter place: the place in that part; by default the whole part.
    public static func ascending(_ part: Part, _ place: JSONPointer = JSONPointer(names: [])) -> RowOrder {
        RowOrder(part: part, place: place, isDescending: false)
    }

    /// Sorts from the largest to the smallest.
    public static func descending(_ part: Part, _ place: JSONPointer = JSONPointer(names: [])) -> RowOrder {
        RowOrder(part: part, place: place, isDescending: true)
    }

    /// Returns the key that sorts the row, compared byte by byte; empty if there is nothing at that place.
    func sortKey(of row: QueryRow) throws(StorageError) -> [UInt8] {
        guard let found = try value(in: row) else { return [] }
        if part == .documentID { return Array(found.stringValue?.utf8 ?? "".utf8) }
        let json = try found.canonicalBytes()
        var key: [UInt8] = []
        try unsafe Collator.unicode.encode(json.span.bytes, into: &key)
        return key
    }

    private func value(in row: QueryRow) throws(StorageError) -> JSONValue? {
        switch part {
        case .key: return row.key[place]
        case .value: return row.value?[place]
        case .documentID: return row.documentID.map { .string($0.string) }
        case .document:
            guard let revision = row.documentRevision else { return nil }
            return try revision.properties[place]
        }
    }
}

extension QueryResult {
    /// Returns the rows in another order: by the first of `orders`; rows that are equal there, by the second, and so
    /// on. Rows that are equal in all of them keep their order. Values are compared like keys of views; missing values
    /// come first, before null.
    ///
    /// The rows are sorted in memory. If possible, let the view's key define the order, which costs nothing.
    ///
    /// - Throws: `tooLarge` (413) if a value is too large to be compared, `corrupt` (591).
    /// - Complexity: O(*n* log *n*), and the bytes of what is compared.
    public func sorted(by orders: [RowOrder]) throws(StorageError) -> [QueryRow] {
        var keyed: [(keys: [[UInt8]], row: QueryRow)] = []
        keyed.reserveCapacity(count)
        for row in self {
            var keys: [[UInt8]] = []
            for order in orders { keys.append(try order.sortKey(of: row)) }
            keyed.append((keys, row))
        }
        // The standard library's sort is stable, but does not promise to be.
        return keyed.enumerated().sorted { a, b in
            for (number, order) in orders.enumerated() {
                let (x, y) = (a.element.keys[number], b.element.keys[number])
                if x == y { continue }
                return x.lexicographicallyPrecedes(y) != order.isDescending
            }
            return a.offset < b.offset
        }.map(\.element.row)
    }
}
