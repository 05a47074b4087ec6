internal import SetteeEngine
internal import SetteeIndexes
internal import StorageProtocol

/// Documents that are looked up by their IDs.
extension FindRun {
    /// - Returns: false if `body` did.
    @discardableResult
    mutating func lookUp(
        _ ids: [[UInt8]],
        behind position: FindPosition?,
        _ expected: Int,
        _ body: (Match) throws(StorageError) -> Bool
    ) throws(StorageError) -> Bool {
        var rest = plan.isBackward ? Array(ids.reversed())[...] : ids[...]
        if let position {
            rest = rest.drop { id in
                id == position.id || id.lexicographicallyPrecedes(position.id) != plan.isBackward
            }
        }
        var size = FindRun.firstBatch(expected)
        while !rest.isEmpty {
            let part = rest.prefix(size).map { FindPosition(key: [], id: $0) }
            rest = rest.dropFirst(size)
            guard try lookUp(part, body) else { return false }
            size = FindRun.batch
        }
        return true
    }

    /// Looks up the documents that all of some indexes have.
    mutating func lookUp(
        inAllOf parts: [IntersectedIndex],
        behind position: FindPosition?,
        _ expected: Int,
        _ body: (Match) throws(StorageError) -> Bool
    ) throws(StorageError) {
        var intersection = try IndexIntersection(parts, of: database, in: transaction, cancellation)
        defer { statistics.keysExamined += intersection.rowCount }
        var behind = position?.id
        while true {
            let found = try intersection.ids(behind: behind, backward: plan.isBackward, atMost: mostIDs)
            guard try lookUp(found.ids, behind: nil, expected, body), found.hasMore else { return }
            behind = plan.isBackward ? found.ids.first : found.ids.last
        }
    }

    static func firstBatch(_ expected: Int) -> Int { max(1, min(expected, batch)) }

    /// Looks up documents, and passes those that match on in the same order.
    ///
    /// - Returns: false if `body` did.
    @discardableResult
    mutating func lookUp(
        _ positions: [FindPosition],
        _ body: (Match) throws(StorageError) -> Bool
    ) throws(StorageError) -> Bool {
        var rest = positions[...]
        while !rest.isEmpty {
            try cancellation?.check()
            let part = rest.prefix(most)
            guard let matches = try matches(at: part) else {
                most = max(1, part.count / 2)
                continue
            }
            rest = rest.dropFirst(part.count)
            for match in matches {
                if let match, try !body(match) { return false }
            }
        }
        return true
    }

    /// Looks up documents, which come in the order of their IDs, and returns those that match in the order of the
    /// positions; nil if they are too large to be held together.
    private mutating func matches(at part: ArraySlice<FindPosition>) throws(StorageError) -> [Match?]? {
        let ids = try part.map { (position) throws(StorageError) in
            try unsafe DocumentID(stored: position.id.span.bytes)
        }
        let first = part.startIndex
        var examined = 0
        var found: [Match?] = Array(repeating: nil, count: ids.count)
        var held = 0
        try transaction.records(ids: ids, fields: fields) { (place, record) throws(StorageError) in
            guard try question.matches(record, &examined) else { return true }
            let match = try match(record, key: part[first + place].key)
            held += match.byteCount
            found[place] = match
            return held <= FindRun.mostHeld
        }
        if held > FindRun.mostHeld, ids.count > 1 { return nil }
        statistics.documentsExamined += examined
        return found
    }
}
