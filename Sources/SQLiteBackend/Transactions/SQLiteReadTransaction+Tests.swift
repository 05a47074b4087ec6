internal import StorageProtocol

extension SQLiteReadTransaction {
    func records(
        in walk: RecordWalk,
        where test: (_ id: RawSpan, _ body: RawSpan) throws(StorageError) -> Bool,
        fields: RecordFields,
        _ body: (borrowing RecordView) throws(StorageError) -> Bool
    ) throws(StorageError) {
        try withoutActuallyEscaping(test) { (test) throws(StorageError) in
            let test = RowTest(test)
            switch walk {
            case .ids(let range, let descending):
                let query = Query.passing(RangeForm(range), descending: descending, fields)
                try unsafe range.withBounds { (lower, upper) throws(StorageError) in
                    try rows(
                        query,
                        passing: test,
                        isWalkAfter: range == .all ? 0 : Self.fewRecords,
                        { statement in
                            unsafe statement.bindText(lower, 1)
                            if let upper = unsafe upper { unsafe statement.bindText(upper, 2) }
                        },
                        { (row) throws(StorageError) in try withRecord(row, fields, body) }
                    )
                }
            case .part(let number, let count):
                guard let numbers = try numbers(ofPart: number, of: count) else { return }
                try rows(
                    .passing(fields),
                    passing: test,
                    isWalkAfter: numbers.count > Self.fewRecords ? 0 : .max,
                    { statement in
                        statement.bind(numbers.lowerBound, 1)
                        statement.bind(numbers.upperBound, 2)
                    },
                    { (row) throws(StorageError) in try withRecord(row, fields, body) }
                )
            }
        }
    }

    /// The numbers of the records in a part of the table; nil if it is empty.
    private func numbers(ofPart part: Int, of count: Int) throws(StorageError) -> ClosedRange<Int64>? {
        guard count > 0, 0..<count ~= part else {
            try check()
            return nil
        }
        let ends = try row(
            Query(.numbers),
            { _ in },
            { row in (first: row.integerIfStored(0), last: row.integerIfStored(1)) }
        )
        guard let first = ends.first, let last = ends.last else { return nil }
        guard first > 0, first <= last else { throw .corrupt("A stored record has a number out of range") }
        let size = (last - first) / Int64(count) + 1
        let (offset, isBeyond) = size.multipliedReportingOverflow(by: Int64(part))
        guard !isBeyond, offset <= last - first else { return nil }
        let lower = first + offset
        return lower...(last - lower < size ? last : lower + (size - 1))
    }
}
