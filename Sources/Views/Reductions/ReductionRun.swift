internal import SetteeDocumentValues
internal import SetteeEngine
internal import StorageProtocol

/// Takes rows and parts of reductions one by one, and returns their reduction. It can be used again after each
/// `finish`.
///
/// The first error ends the reduction: everything added later is ignored.
final class ReductionRun {
    /// How many rows or parts a function of the application receives at a time.
    private static let handful = 256

    private let reduce: Reduce
    /// Whether a sum that cannot be made is an error in the place of its value, and not of the reduction.
    private let keepsFaults: Bool
    private var fault: SumFault?
    private(set) var rowCount: UInt64 = 0
    /// The error of the function, or of a bad value.
    private(set) var failure: (any Error)?
    private var sum = MixedSum()
    private var average = ExactSum()
    private var stats = MixedStatistics()
    private var sketch: DistinctSketch?
    /// Rows not yet passed to the application's function, and its results for those before.
    private var keys: [JSONValue] = []
    private var values: [JSONValue] = []
    private var parts: [JSONValue] = []
    private var pending = PendingTexts()
    private var parser = JSONParser()

    init(_ reduce: Reduce, keepsFaults: Bool = false) {
        self.reduce = reduce
        self.keepsFaults = keepsFaults
    }

    /// Adds a row. Returns false if the reduction has failed.
    func add(_ row: borrowing IndexRowView) -> Bool {
        if failure != nil { return false }
        rowCount += 1
        do {
            switch reduce.kind {
            case .count: break
            case .sum: try addToSum(row)
            case .average: try average.add(value(of: row))
            case .stats: try stats.add(value(of: row))
            case .approxCountDistinct:
                var seen = sketch ?? DistinctSketch()
                sketch = nil
                row.withKeyJSON { seen.add($0) }
                sketch = seen
            case .closure:
                keys.append(try row.withKeyJSON { (json) throws(StorageError) in try parsed(json) })
                let value = try row.withValueJSON { (json) throws(StorageError) in try parsed(json) }
                values.append(value ?? JSONValue.null)
                if keys.count == ReductionRun.handful { try reduceRows() }
            case .texts:
                pending.add(row)
                if pending.isFull { try reduceRows() }
            }
        } catch {
            failure = error
        }
        return failure == nil
    }

    /// Adds the reduction of other rows.
    func add(_ part: ReducedPart) {
        if failure != nil || part.rowCount == 0 { return }
        let (count, isImpossible) = rowCount.addingReportingOverflow(part.rowCount)
        guard !isImpossible else {
            failure = StorageError.corrupt("A stored reduction counts more rows than there can be")
            return
        }
        rowCount = count
        do {
            switch part.content {
            case .rows: break
            case .sum(let other): try addToSum(other)
            case .average(let other): average.add(other)
            case .stats(let other): try stats.add(other)
            case .distinct(let other):
                if sketch == nil { sketch = other } else { sketch?.add(other) }
            case .value(let value):
                guard reduce.isClosure else { return }
                // Reduce the pending rows first, so that parts stay in the order of their rows.
                try reduceRows()
                parts.append(value)
                if parts.count == ReductionRun.handful { try reduceParts() }
            }
        } catch {
            failure = error
        }
    }

    private func addToSum(_ row: borrowing IndexRowView) throws(StorageError) {
        guard fault == nil else { return }
        let value = try row.withValueJSON { (json) throws(StorageError) in try number(in: json) } ?? .null
        do throws(StorageError) {
            try sum.add(value)
        } catch {
            guard keepsFaults else { throw error }
            fault = SumFault(error, by: value)
        }
    }

    private func addToSum(_ part: MixedSum) throws(StorageError) {
        guard fault == nil else { return }
        do throws(StorageError) {
            try sum.add(part)
        } catch {
            guard keepsFaults else { throw error }
            fault = SumFault(error, by: try part.value)
        }
    }

    /// Returns the reduction of everything added, or the error. Afterwards the run is empty.
    func finish() -> Result<ReducedPart, any Error> {
        defer { removeAll() }
        if failure == nil, reduce.isClosure {
            do {
                try reduceRows()
                try reduceParts()
            } catch {
                failure = error
            }
        }
        if let failure { return .failure(failure) }
        if let fault { return .success(ReducedPart(rowCount: rowCount, content: .value(fault.value))) }
        let content: ReducedPart.Content =
            switch reduce.kind {
            case .count: .rows
            case .sum: .sum(sum)
            case .average: .average(average)
            case .stats: .stats(stats)
            case .approxCountDistinct: .distinct(sketch ?? DistinctSketch())
            case .closure, .texts: .value(parts.first ?? .null)
            }
        return .success(ReducedPart(rowCount: rowCount, content: content))
    }

    private func removeAll() {
        rowCount = 0
        failure = nil
        fault = nil
        sum = MixedSum()
        average = ExactSum()
        stats = MixedStatistics()
        sketch = nil
        keys.removeAll(keepingCapacity: true)
        values.removeAll(keepingCapacity: true)
        parts.removeAll(keepingCapacity: true)
        if !pending.isEmpty { pending = PendingTexts() }
    }

    private func reduceRows() throws {
        switch reduce.kind {
        case .closure(let body) where !keys.isEmpty:
            let input = ReduceInput(keys: keys, values: values, isRereduce: false)
            keys = []
            values = []
            parts.append(try body(input))
        case .texts(let body) where !pending.isEmpty: parts.append(try JSONValue(parsing: body(pending.take())))
        default: return
        }
        if parts.count == ReductionRun.handful { try reduceParts() }
    }

    private func reduceParts() throws {
        if parts.count < 2 { return }
        let values = parts
        parts = []
        switch reduce.kind {
        case .closure(let body): parts.append(try body(ReduceInput(keys: [], values: values, isRereduce: true)))
        case .texts(let body):
            let texts = try values.map { (value) throws(StorageError) in try value.canonicalBytes() }
            parts.append(try JSONValue(parsing: body(ReduceTexts(keys: nil, values: texts))))
        default: break
        }
    }

    private func parsed(_ json: RawSpan) throws(StorageError) -> JSONValue {
        try parser.parse(json)
        guard let root = parser.root else { return .null }
        return parser.value(of: root)
    }

    /// - Throws: `badRequest` (400) if the row has no value.
    private func value(of row: borrowing IndexRowView) throws(StorageError) -> JSONValue {
        guard let value = try row.withValueJSON({ (json) throws(StorageError) in try number(in: json) }) else {
            throw .valueIsNoNumber
        }
        return value
    }

    private func number(in json: RawSpan) throws(StorageError) -> JSONValue {
        if let integer = ReductionRun.integer(json) { return .int(integer) }
        return try parsed(json)
    }

    /// Returns a number of up to 18 digits; nil for anything else.
    private static func integer(_ json: RawSpan) -> Int64? {
        let count = json.byteCount
        guard 1...18 ~= count else { return nil }
        let isNegative = unsafe json.unsafeLoad(fromByteOffset: 0, as: UInt8.self) == UInt8(ascii: "-")
        let start = isNegative ? 1 : 0
        if start == count { return nil }
        var magnitude: Int64 = 0
        for index in start..<count {
            let digit = unsafe json.unsafeLoad(fromByteOffset: index, as: UInt8.self) &- UInt8(ascii: "0")
            if digit > 9 { return nil }
            magnitude = magnitude &* 10 &+ Int64(digit)
        }
        return isNegative ? -magnitude : magnitude
    }
}
