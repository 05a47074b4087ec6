internal import SetteeDocumentValues
internal import SetteeEngine
internal import SetteeIndexes
internal import StorageProtocol

/// The ranges of an index that hold the rows of a query.
struct KeyRange {
    /// The ranges, to be read one after the other, each in the query's direction.
    private(set) var ranges: [IndexRange] = []
    /// Which rows at the ends of the range match by prefix; nil: the range alone decides.
    private(set) var prefix: PrefixEnds?

    /// A range that was widened to all rows whose keys may begin with its upper end.
    struct PrefixEnds {
        let prefix: KeyPrefix
        /// The range before it was widened.
        let range: IndexRange

        /// Returns whether a row of the widened range belongs to the result.
        func contain(_ place: RowPosition, keyJSON: RawSpan) -> Bool {
            place.lies(in: range) || prefix.matches(keyJSON: keyJSON) && !isLeftOut(place)
        }

        /// Returns whether a row has the key of the range's lower end but comes before that end.
        private func isLeftOut(_ place: RowPosition) -> Bool {
            switch range.lower {
            case .open: return false
            case .including(let position), .excluding(let position):
                return place.key == position.key && !place.lies(in: IndexRange(lower: range.lower, upper: .open))
            }
        }
    }

    /// - Throws: `badParameter` (495) for a key that cannot be one.
    init(_ query: DatabaseQuery, _ collator: Collator) throws(StorageError) {
        if let keys = query.keys {
            var encoded: [[UInt8]] = []
            for key in keys { encoded.append(try KeyRange.encode(key, collator).key) }
            if !query.keepsKeyOrder {
                encoded = Set(encoded).sorted { $0.lexicographicallyPrecedes($1) }
                if query.descending { encoded.reverse() }
            }
            ranges = encoded.map { key in
                let start = KeyRange.bound(key, query.startKeyDocID, query.inclusiveStart)
                let end = KeyRange.bound(key, query.endKeyDocID, query.inclusiveEnd)
                return query.descending ? IndexRange(lower: end, upper: start) : IndexRange(lower: start, upper: end)
            }
            return
        }
        let start = try KeyRange.bound(query.startKey, query.startKeyDocID, query.inclusiveStart, collator)
        let end = try KeyRange.bound(query.endKey, query.endKeyDocID, query.inclusiveEnd, collator)
        var range = query.descending ? IndexRange(lower: end, upper: start) : IndexRange(lower: start, upper: end)
        if query.prefixMatchLevel > 0, let key = query.descending ? query.startKey : query.endKey {
            let json = try KeyRange.encode(key, collator).json
            let prefix = try unsafe KeyPrefix(
                endKey: json.span.bytes,
                level: query.prefixMatchLevel,
                collator: collator
            )
            self.prefix = PrefixEnds(prefix: prefix, range: range)
            range.upper = .excluding(IndexPosition(key: prefix.upperBound))
            // Some strings sort before their own prefixes. If both ends are the prefix, such strings belong to the
            // range, too.
            if query.startKey == query.endKey, case .including(let lower) = range.lower, lower.documentID == nil {
                range.lower = .including(IndexPosition(key: prefix.lowerBound))
            }
        }
        ranges = [range]
    }

    static func encode(_ key: JSONValue, _ collator: Collator) throws(StorageError) -> (json: [UInt8], key: [UInt8]) {
        do throws(StorageError) {
            let json = try key.canonicalBytes()
            var encoded: [UInt8] = []
            try unsafe collator.encode(json.span.bytes, into: &encoded)
            return (json, encoded)
        } catch {
            throw StorageError(.badParameter, "A key of the query cannot be one: \(error.message)")
        }
    }

    /// An end of the rows of one of several keys.
    private static func bound(_ key: [UInt8], _ documentID: DocumentID?, _ isIncluded: Bool) -> IndexRange.Bound {
        guard let documentID else { return .including(IndexPosition(key: key)) }
        let position = IndexPosition(key: key, documentID: Array(documentID.string.utf8))
        return isIncluded ? .including(position) : .excluding(position)
    }

    private static func bound(
        _ key: JSONValue?,
        _ documentID: DocumentID?,
        _ isIncluded: Bool,
        _ collator: Collator
    ) throws(StorageError) -> IndexRange.Bound {
        guard let key else { return .open }
        let position = IndexPosition(
            key: try encode(key, collator).key,
            documentID: documentID.map { Array($0.string.utf8) }
        )
        return isIncluded ? .including(position) : .excluding(position)
    }
}
