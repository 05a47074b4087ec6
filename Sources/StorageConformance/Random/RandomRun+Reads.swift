internal import StorageProtocol

extension RandomRun {
    /// Reads through the open write transaction, or through a snapshot that ends here.
    func applyRead(_ operation: RandomOperation, _ transaction: any ReadTransaction) throws {
        defer { if writer == nil { transaction.end() } }
        switch operation {
        case .lookUp(let id, let count, let limit):
            try lookUp(transaction, id, count, limit)
        case .readRecords(let lower, let upper, let descending, let limit):
            let range = idRange(lower, upper)
            let inside = model.records.keys.sorted().filter { range.holds(bytes($0.string)) }
            let expected = window(inside.map(\.string), descending, limit)
            let found = try transaction.ids(range, descending: descending, limit: limit)
            try check(found.map(bytes), expected.map(bytes), "IDs in a range")
        case .readChanges(let lower, let upper, let descending, let limit):
            let (first, last) = (UInt64(min(lower, upper)), UInt64(max(lower, upper)) * 3)
            let inside = model.changes.filter { (first...last).contains($0.sequence) }
            let expected = window(inside.map { "\($0.sequence) \($0.id)" }, descending, limit)
            let found = try transaction.changes(first...last, descending: descending, limit: limit)
            try check(found.map(bytes), expected.map(bytes), "changes in a range")
        case .readRows(let index, let lower, let upper, let descending, let limit):
            let name = RandomNames.indexes[index]
            guard let known = model.indexes[bytes(name)] else { return }
            let range = rowRange(lower, upper)
            let inside = model.rows(of: known).filter { range.holds($0.row.key, $0.id, $0.emit) }
            let expected = window(inside, descending, limit)
            var found: [StoreContents.Row] = []
            try transaction.indexRows(name, in: range, descending: descending) { (row) throws(StorageError) in
                found.append(try StoreContents.Row(row))
                return found.count < limit
            }
            try check(found, expected, "rows in a range")
        default:
            preconditionFailure("\(operation) is no read")
        }
    }

    private func window<T>(_ all: [T], _ descending: Bool, _ limit: Int) -> [T] {
        Array((descending ? all.reversed() : all).prefix(limit))
    }

    func byteRange(_ lower: Int, _ upper: Int) -> ByteRange {
        func bound(_ number: Int) -> ByteRange.Bound {
            switch number % 3 {
            case 0: .open
            case 1: .including(RandomNames.key(number))
            default: .excluding(RandomNames.key(number))
            }
        }
        return ByteRange(lower: bound(lower), upper: bound(upper))
    }

    private func idRange(_ lower: Int, _ upper: Int) -> ByteRange {
        func bound(_ number: Int) -> ByteRange.Bound {
            let id = bytes(RandomNames.ids[number % RandomNames.ids.count])
            return switch number / 20 {
            case 0: .open
            case 1: .including(id)
            case 2: .excluding(id)
            default: .including(id + [0xFF])
            }
        }
        return ByteRange(lower: bound(lower), upper: bound(upper))
    }

    private func rowRange(_ lower: Int, _ upper: Int) -> IndexRange {
        func bound(_ number: Int) -> IndexRange.Bound {
            var position = IndexPosition(key: RandomNames.key(number))
            if number % 5 > 1 { position.documentID = bytes(RandomNames.ids[number % RandomNames.ids.count]) }
            if number % 5 > 2 { position.emit = UInt32(number % 3) }
            return switch number / 25 {
            case 0: .open
            case 1: .including(position)
            default: .excluding(position)
            }
        }
        return IndexRange(lower: bound(lower), upper: bound(upper))
    }
}
