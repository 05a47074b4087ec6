package import Settee

/// A view as one would write it without an index: all rows are computed from all documents, sorted and filtered.
///
/// Strings in it consist of lower-case ASCII letters, which every collation sorts by their bytes.
package struct NaiveView {
    /// A document as the database lists it.
    package struct Source {
        package var id: String
        package var body: JSONValue
        package var conflicts: Int

        package init(id: String, body: JSONValue, conflicts: Int) {
            self.id = id
            self.body = body
            self.conflicts = conflicts
        }
    }

    package struct Row {
        package var key: JSONValue
        package var value: JSONValue?
        package var id: String

        package var line: String { "\(key) \(value.map(\.description) ?? "-") \(id)" }
    }

    package let isRaw: Bool
    /// Whether it has a reduce function, which counts.
    package var isReduced = true
    package let map: (Source) -> [(JSONValue, JSONValue?)]

    package init(
        isRaw: Bool,
        isReduced: Bool = true,
        map: @escaping (Source) -> [(JSONValue, JSONValue?)]
    ) {
        self.isRaw = isRaw
        self.isReduced = isReduced
        self.map = map
    }

    package func rows(_ documents: [Source]) -> [Row] {
        var rows: [(row: Row, emit: Int)] = []
        for document in documents {
            for (emit, (key, value)) in map(document).enumerated() {
                rows.append((Row(key: key, value: value, id: document.id), emit))
            }
        }
        rows.sort { a, b in
            let order = order(a.row.key, b.row.key)
            if order != 0 { return order < 0 }
            let (left, right) = (bytes(a.row.id), bytes(b.row.id))
            return left == right ? a.emit < b.emit : left.lexicographicallyPrecedes(right)
        }
        return rows.map(\.row)
    }

    /// What a query returns, in lines.
    package func lines(_ query: DatabaseQuery, _ documents: [Source]) -> [String] {
        var rows = rows(documents)
        if let keys = query.keys {
            rows = rows.filter { row in keys.contains { order(row.key, $0) == 0 } && lies(row, query) }
        } else {
            rows = rows.filter { contains($0, query) }
        }
        if query.descending { rows.reverse() }
        let lines = isPlain(query) ? rows.map(\.line) : groups(query, rows)
        return Array(lines.dropFirst(query.skip).prefix(query.limit ?? .max))
    }

    /// Whether the query returns rows as they were emitted.
    private func isPlain(_ query: DatabaseQuery) -> Bool {
        query.mapOnly || (query.reduce == false || !isReduced) && !isGrouped(query)
    }

    private func isGrouped(_ query: DatabaseQuery) -> Bool { query.group || query.groupLevel > 0 }

    /// The groups of rows, and how many rows each has.
    private func groups(_ query: DatabaseQuery, _ rows: [Row]) -> [String] {
        var groups: [(key: JSONValue, count: Int)] = []
        for row in rows {
            guard let key = groupKey(row.key, query) else { continue }
            if let last = groups.last, order(last.key, key) == 0 {
                groups[groups.count - 1].count += 1
            } else {
                groups.append((key, 1))
            }
        }
        return groups.map { "\($0.key) \(query.reduce == false ? "-" : "\($0.count)") -" }
    }

    /// Nil: the row belongs to no group.
    private func groupKey(_ key: JSONValue, _ query: DatabaseQuery) -> JSONValue? {
        if !isGrouped(query) { return .null }
        guard query.groupLevel > 0 else { return key }
        if case .array(let elements) = key { return .array(Array(elements.prefix(query.groupLevel))) }
        if query.groupLevel == 1 { return key }
        return nil
    }

    /// Whether a row is between the document IDs of a query for keys.
    private func lies(_ row: Row, _ query: DatabaseQuery) -> Bool {
        let start = query.startKeyDocID.flatMap { bound(row, row.key, $0.string) }
        let end = query.endKeyDocID.flatMap { bound(row, row.key, $0.string) }
        let (low, high) = query.descending ? (end, start) : (start, end)
        let (withLow, withHigh) =
            query.descending ? (query.inclusiveEnd, query.inclusiveStart) : (query.inclusiveStart, query.inclusiveEnd)
        if let low, low < 0 || low == 0 && !withLow { return false }
        if let high, high > 0 || high == 0 && !withHigh { return false }
        return true
    }

    private func contains(_ row: Row, _ query: DatabaseQuery) -> Bool {
        let start = bound(row, query.startKey, query.startKeyDocID?.string)
        let end = bound(row, query.endKey, query.endKeyDocID?.string)
        let (low, high) = query.descending ? (end, start) : (start, end)
        let (withLow, withHigh) =
            query.descending ? (query.inclusiveEnd, query.inclusiveStart) : (query.inclusiveStart, query.inclusiveEnd)
        if let low, low < 0 || low == 0 && !withLow { return false }
        guard let high, high > 0 || high == 0 && !withHigh else { return true }
        guard let prefix = query.descending ? query.startKey : query.endKey, query.prefixMatchLevel > 0 else {
            return false
        }
        return begins(row.key, with: prefix, query.prefixMatchLevel)
    }

    /// Negative, 0 or positive, as a row is before, at or after the bound; nil if there is none.
    private func bound(_ row: Row, _ key: JSONValue?, _ id: String?) -> Int? {
        guard let key else { return nil }
        let order = order(row.key, key)
        guard order == 0, let id, bytes(id) != bytes(row.id) else { return order }
        return bytes(row.id).lexicographicallyPrecedes(bytes(id)) ? -1 : 1
    }

    /// Whether a key begins with a prefix, as the documentation defines it.
    private func begins(_ key: JSONValue, with prefix: JSONValue, _ level: Int) -> Bool {
        guard isPrefix(prefix, level) else { return key == prefix }
        switch (prefix, key) {
        case (.string(let beginning), .string(let text)): return bytes(text).starts(with: bytes(beginning))
        case (.array(let beginning), .array(let elements)) where level == 1: return elements.starts(with: beginning)
        case (.array(let beginning), .array(let elements)):
            return elements.count >= beginning.count && elements.starts(with: beginning.dropLast())
                && begins(elements[beginning.count - 1], with: beginning[beginning.count - 1], level - 1)
        default: return false
        }
    }

    /// Whether a value can be a prefix of others.
    private func isPrefix(_ value: JSONValue, _ level: Int) -> Bool {
        switch value {
        case .string: level > 0
        case .array(let elements): level == 1 || level > 1 && elements.last.map { isPrefix($0, level - 1) } ?? false
        default: false
        }
    }

    // MARK: - Order

    /// Negative, 0 or positive, in CouchDB's order.
    package func order(_ a: JSONValue, _ b: JSONValue) -> Int {
        let (rankA, rankB) = (rank(a), rank(b))
        if rankA != rankB { return rankA - rankB }
        switch (a, b) {
        case (.string(let a), .string(let b)):
            return a == b ? 0 : bytes(a).lexicographicallyPrecedes(bytes(b)) ? -1 : 1
        case (.array(let a), .array(let b)):
            for (x, y) in zip(a, b) {
                let order = order(x, y)
                if order != 0 { return order }
            }
            return a.count - b.count
        case (.object(let a), .object(let b)):
            for (x, y) in zip(a, b) {
                let order = order(.array([.string(x.key), x.value]), .array([.string(y.key), y.value]))
                if order != 0 { return order }
            }
            return a.count - b.count
        default:
            let (a, b) = (a.doubleValue ?? 0, b.doubleValue ?? 0)
            return a == b ? 0 : a < b ? -1 : 1
        }
    }

    private func rank(_ value: JSONValue) -> Int {
        switch value {
        case .null: isRaw ? 2 : 1
        case .bool(false): isRaw ? 1 : 2
        case .bool(true): 3
        case .int, .uint, .longInteger, .double: isRaw ? 0 : 4
        case .string: isRaw ? 7 : 5
        case .array: 6
        case .object: isRaw ? 5 : 7
        }
    }
}
