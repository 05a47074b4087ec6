internal import SetteeDocumentValues
internal import SetteeEngine
internal import StorageProtocol

/// All documents as rows.
struct AllDocumentsSource: PageSource {
    private let query: DatabaseQuery
    private let mode: AllDocumentsMode
    private var byID: ByteRange
    private var sequences: ClosedRange<UInt64>?
    private var ids: ArraySlice<DocumentID>?
    private let prefix: [UInt8]?
    private var skip: Int
    private var isOver = false

    init(_ query: DatabaseQuery, _ mode: AllDocumentsMode, skip: Int) throws(StorageError) {
        self.query = query
        self.mode = mode
        self.skip = skip
        byID = .all
        var prefix: [UInt8]?
        if mode == .bySequence {
            guard query.keys == nil, query.prefixMatchLevel == 0 else {
                throw StorageError(.badParameter, "By sequence, neither `keys` nor `prefixMatchLevel` can be given.")
            }
            sequences = try AllDocumentsSource.sequences(query)
            isOver = sequences == nil
        } else if let keys = query.keys {
            // Keys that are not strings, or cannot be IDs, have no document.
            let given = keys.compactMap { $0.stringValue.flatMap { try? DocumentID($0) } }
            var known: [DocumentID] = []
            known.reserveCapacity(given.count)
            for place in given.placesInOrder where known.last != given[place] { known.append(given[place]) }
            ids = query.descending ? ArraySlice(known.reversed()) : known[...]
        } else {
            byID = try AllDocumentsSource.range(query)
            if query.prefixMatchLevel > 0,
                let text = (query.descending ? query.startKey : query.endKey)?.stringValue.map({ Array($0.utf8) })
            {
                byID.upper = CollationKey.end(ofPrefix: text).map { .excluding($0) } ?? .open
                prefix = text
            }
        }
        self.prefix = prefix
    }

    private static func range(_ query: DatabaseQuery) throws(StorageError) -> ByteRange {
        let start = try bound(query.startKey, query.inclusiveStart)
        let end = try bound(query.endKey, query.inclusiveEnd)
        return query.descending ? ByteRange(lower: end, upper: start) : ByteRange(lower: start, upper: end)
    }

    private static func bound(_ key: JSONValue?, _ isIncluded: Bool) throws(StorageError) -> ByteRange.Bound {
        guard let key else { return .open }
        guard let text = key.stringValue else {
            throw StorageError(.badParameter, "The keys of all documents are their IDs: give strings.")
        }
        return isIncluded ? .including(Array(text.utf8)) : .excluding(Array(text.utf8))
    }

    /// Nil: no document can match.
    private static func sequences(_ query: DatabaseQuery) throws(StorageError) -> ClosedRange<UInt64>? {
        let (low, lowIncluded) =
            query.descending ? (query.endKey, query.inclusiveEnd) : (query.startKey, query.inclusiveStart)
        let (high, highIncluded) =
            query.descending ? (query.startKey, query.inclusiveStart) : (query.endKey, query.inclusiveEnd)
        var lower: Int64 = 1
        var upper = Int64.max - 1
        if let low {
            guard let number = low.intValue else { throw noSequence }
            lower = max(1, lowIncluded || number == .max ? number : number + 1)
        }
        if let high {
            guard let number = high.intValue else { throw noSequence }
            upper = highIncluded || number == .min ? min(number, upper) : min(number - 1, upper)
        }
        return lower <= upper ? UInt64(lower)...UInt64(upper) : nil
    }

    private static var noSequence: StorageError {
        StorageError(.badParameter, "By sequence, `startKey` and `endKey` are whole numbers.")
    }

    mutating func page(_ transaction: any ReadTransaction, maximum: Int) throws(StorageError) -> RowPage {
        var page = DocumentPage(query, mode, maximum: maximum, skip: skip)
        if !isOver, page.isWanting {
            if let ids {
                try readKeys(ids, &page, transaction)
            } else if let sequences {
                try readSequences(sequences, &page, transaction)
            } else {
                try readRange(&page, transaction)
            }
            isOver = isOver || page.isWanting
        }
        skip = page.skip
        return page.writer.page(of: query.database, index: nil, isOfDocuments: true)
    }

    private mutating func readRange(_ page: inout DocumentPage, _ transaction: any ReadTransaction) throws(StorageError)
    {
        var last: [UInt8]?
        try transaction.orderedRecords(in: byID, descending: query.descending, fields: page.fields) {
            (record) throws(StorageError) in
            let id = record.withID { id in unsafe id.withUnsafeBytes { unsafe Array($0) } }
            if let prefix, !id.starts(with: prefix), !id.lexicographicallyPrecedes(prefix) { return true }
            try page.add(record, transaction)
            last = id
            return page.isWanting
        }
        guard let last else { return }
        if query.descending { byID.upper = .excluding(last) } else { byID.lower = .excluding(last) }
    }

    private mutating func readKeys(
        _ ids: ArraySlice<DocumentID>,
        _ page: inout DocumentPage,
        _ transaction: any ReadTransaction
    ) throws(StorageError) {
        var rest = ids
        // Rows to skip are read one by one, because the order decides which ones they are.
        while page.skip > 0, page.isWanting, let id = rest.popFirst() {
            _ = try transaction.record(id, fields: page.fields) { (record) throws(StorageError) in
                try page.add(record, transaction)
            }
        }
        while page.isWanting, !rest.isEmpty {
            let some = Array(rest.prefix(page.room))
            var places: [Int] = []
            try transaction.records(ids: some, fields: page.fields) { (place, record) throws(StorageError) in
                if try page.add(record, id: some[place], transaction) { places.append(place) }
                return true
            }
            page.sortLastRows(by: places)
            rest = rest.dropFirst(some.count)
        }
        self.ids = rest
    }

    private mutating func readSequences(
        _ range: ClosedRange<UInt64>,
        _ page: inout DocumentPage,
        _ transaction: any ReadTransaction
    ) throws(StorageError) {
        var last: UInt64?
        try transaction.orderedRecords(sequences: range, descending: query.descending, fields: page.fields) {
            (record) throws(StorageError) in
            try page.add(record, transaction)
            last = record.sequence
            return page.isWanting
        }
        guard let last else { return }
        if query.descending {
            if last <= range.lowerBound { isOver = true } else { sequences = range.lowerBound...last - 1 }
        } else {
            if last >= range.upperBound { isOver = true } else { sequences = last + 1...range.upperBound }
        }
    }
}
