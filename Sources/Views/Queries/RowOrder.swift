public import SetteeDocumentValues
internal import SetteeEngine
public import StorageProtocol

/// By what rows are sorted: a place in their keys, values or documents, up or down.
///
/// ```swift
/// let books = try query.run().sorted(by: [.descending(.value, "/year"), .ascending(.key)])
/// ```
public struct RowOrder: Sendable, Hashable {
    /// The part of a row that is looked at.
    public enum Part: Sendable, Hashable {
        case key
        case value
        /// The document's properties: only with `includeDocs`.
        case document
        /// The ID of the document, by its bytes.
        case documentID
    }

    let part: Part
    let place: JSONPointer
    let isDescending: Bool

    /// From the smallest to the largest.
    ///
    /// - Parameter place: the place in that part; the whole where there is none.
    public static func ascending(_ part: Part, _ place: JSONPointer = JSONPointer(names: [])) -> RowOrder {
        RowOrder(part: part, place: place, isDescending: false)
    }

    /// From the largest to the smallest.
    public static func descending(_ part: Part, _ place: JSONPointer = JSONPointer(names: [])) -> RowOrder {
        RowOrder(part: part, place: place, isDescending: true)
    }

    /// What sorts the row, by its bytes; empty where there is nothing at that place.
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
    /// The rows in another order: by the first of `orders`, those that are equal there by the second, and so on; rows
    /// that are equal in all keep their order. Values are compared as keys of views are; what is not there comes first,
    /// before null.
    ///
    /// The rows are sorted in memory. Where it can be, let the view's key give the order, which costs nothing.
    ///
    /// - Throws: `tooLarge` (413) for a value that is too large to be compared, `corrupt` (591).
    /// - Complexity: O(*n* log *n*), and the bytes of what is compared.
    public func sorted(by orders: [RowOrder]) throws(StorageError) -> [QueryRow] {
        var keyed: [(keys: [[UInt8]], row: QueryRow)] = []
        keyed.reserveCapacity(count)
        for row in self {
            var keys: [[UInt8]] = []
            for order in orders { keys.append(try order.sortKey(of: row)) }
            keyed.append((keys, row))
        }
        // The standard library's sort keeps the order of equals, but does not promise it.
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
