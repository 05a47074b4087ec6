internal import SetteeCouchProtocol
internal import SetteeDocumentValues
internal import SetteeQueries
internal import StorageProtocol

/// Where a page of `_find` ended, as text for clients: what positions of the query mean, and the last one.
///
/// The bytes are a version, the kind of route, a hash of what keys mean, and the lengths and bytes of the index's name,
/// of the key, and of the document's ID. Clients can make up what they like: all of it is only a place to begin.
struct FindBookmark {
    let route: FindRoute
    let position: FindPosition

    private static let version: UInt8 = 1
    /// The most that a key has for each field of the order, and all of it where an index gives the order.
    private static let mostKeyBytes = 1 << 20

    private enum Kind: UInt8 {
        case ascendingIDs, descendingIDs, sorted, ascendingIndex, descendingIndex
    }

    init(route: FindRoute, position: FindPosition) {
        self.route = route
        self.position = position
    }

    /// - Parameter sort: That of the query, which gives sort keys their meaning.
    func text(_ sort: [FindOrder]) -> String {
        var bytes = [FindBookmark.version, kind.rawValue]
        FindBookmark.append(FindBookmark.meaning(of: route, sort), 8, to: &bytes)
        let name = if case .byIndex(let name, _, _) = route { Array(name.utf8) } else { [] as [UInt8] }
        for part in [name, position.key, position.id] {
            FindBookmark.append(UInt64(part.count), 4, to: &bytes)
            bytes += part
        }
        return Base64URL.encode(bytes)
    }

    /// - Throws: `invalid_bookmark` (400) for a text that no query with this order and these indexes has answered.
    init(_ text: String, _ sort: [FindOrder], _ indexes: [DefinedIndex]) throws(CouchError) {
        // Base64 takes 4/3 of the bytes.
        let mostKeyBytes = (FindBookmark.mostKeyBytes + 1) * max(1, sort.count)
        guard text.utf8.count <= 2 * mostKeyBytes, let bytes = Base64URL.decode(text.utf8) else {
            throw .invalidBookmark("it is none that was answered.")
        }
        var rest = bytes[...]
        guard rest.popFirst() == FindBookmark.version, let kind = rest.popFirst().flatMap(Kind.init),
            let meaning = FindBookmark.number(8, &rest), let name = FindBookmark.part(&rest),
            let key = FindBookmark.part(&rest), let id = FindBookmark.part(&rest), rest.isEmpty,
            key.count <= mostKeyBytes, let documentID = String(validating: id, as: UTF8.self),
            (try? DocumentID(documentID)) != nil
        else { throw .invalidBookmark("it is none that was answered.") }
        switch kind {
        case .ascendingIDs, .descendingIDs: route = .byID(backward: kind == .descendingIDs)
        case .sorted: route = .sorted
        case .ascendingIndex, .descendingIndex:
            guard let index = indexes.first(where: { $0.name.utf8.elementsEqual(name) }) else {
                throw .invalidBookmark("its index was removed. Begin again.")
            }
            route = .byIndex(index.name, index.definition, backward: kind == .descendingIndex)
        }
        guard meaning == FindBookmark.meaning(of: route, sort) else {
            throw .invalidBookmark("it is of another query, or its index was changed. Begin again.")
        }
        position = FindPosition(key: Array(key), id: Array(id))
    }

    private var kind: Kind {
        switch route {
        case .byID(let backward): backward ? .descendingIDs : .ascendingIDs
        case .sorted: .sorted
        case .byIndex(_, _, let backward): backward ? .descendingIndex : .ascendingIndex
        }
    }

    private static func meaning(of route: FindRoute, _ sort: [FindOrder]) -> UInt64 {
        var hasher = StableHash()
        if case .byIndex(_, let definition, _) = route {
            hasher.combine(JSONValue.object(definition.json).description.utf8)
        }
        for order in sort {
            hasher.combine([order.descending ? 2 : 1])
            hasher.combine(order.field.utf8)
            hasher.combine([0])
        }
        return hasher.value
    }

    private static func append(_ number: UInt64, _ count: Int, to bytes: inout [UInt8]) {
        for place in (0..<count).reversed() { bytes.append(UInt8(truncatingIfNeeded: number >> UInt64(8 * place))) }
    }

    private static func number(_ count: Int, _ bytes: inout ArraySlice<UInt8>) -> UInt64? {
        guard bytes.count >= count else { return nil }
        defer { bytes = bytes.dropFirst(count) }
        return bytes.prefix(count).reduce(0) { $0 << 8 | UInt64($1) }
    }

    private static func part(_ bytes: inout ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
        guard let count = number(4, &bytes), count <= UInt64(bytes.count) else { return nil }
        defer { bytes = bytes.dropFirst(Int(count)) }
        return bytes.prefix(Int(count))
    }
}
